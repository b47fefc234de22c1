;;; test.el --- What must hold in Emacs with eglot and the mode -*- lexical-binding: t -*-

;; `-Q' skips Debian's site-start, which would have found eglot.
(dolist (directory (append (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa/*")
                           (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa-src/*")))
  (add-to-list 'load-path directory))
(add-to-list 'load-path (expand-file-name "editors/emacs" (getenv "FENCEPOST_ROOT")))
(setq eglot-sync-connect 20 eglot-autoshutdown t eglot-send-changes-idle-time 0.05
      eglot-confirm-server-initiated-edits nil
      make-backup-files nil create-lockfiles nil)
(require 'fencepost)
(require 'flymake)
(setq fencepost-program (getenv "FENCEPOST_BIN"))

(defvar test-failed 0)

(defun test-say (format &rest arguments)
  "Print a line on standard output."
  (princ (concat (apply #'format format arguments) "\n") #'external-debugging-output)
  nil)

(defmacro test-check (name &rest body)
  "Run BODY as the check NAME: an error is a failure."
  (declare (indent 1))
  `(condition-case problem
       (progn ,@body (test-say "ok - emacs: %s" ,name))
     (error (setq test-failed (1+ test-failed))
            (test-say "not ok - emacs: %s\n    %s" ,name (error-message-string problem)))))

(defun test-until (what look)
  "Wait until LOOK gives something; else fail with WHAT."
  (let ((end (+ (float-time) 20)) found)
    (while (and (not (setq found (funcall look))) (< (float-time) end))
      (accept-process-output nil 0.05))
    (or found (error "Waited 20 s for: %s" what))))

(defun test-assert (condition &rest format)
  "Fail with FORMAT unless CONDITION."
  (unless condition (error "%s" (apply #'format format))))

(defun test-goto (text)
  "Go to the start of TEXT."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun test-lenses ()
  "The text of all lens overlays."
  (mapconcat (lambda (overlay) (or (overlay-get overlay 'before-string) ""))
             (seq-filter (lambda (overlay) (overlay-get overlay 'fencepost-lens))
                         (overlays-in (point-min) (1+ (point-max))))
             "\n"))

(defun test-request (method &rest params)
  "Ask the server METHOD about this buffer."
  (jsonrpc-request (eglot-current-server) method (append (fencepost--document) params)))

(defun test-position ()
  "Point as the protocol writes it."
  (list :line (1- (line-number-at-pos)) :character (- (point) (line-beginning-position))))

(defun test-diagnostics (pattern)
  "The diagnostics whose text matches PATTERN."
  (seq-filter (lambda (one) (string-match-p pattern (flymake-diagnostic-text one))) (flymake-diagnostics)))

(with-current-buffer (find-file-noselect "SB.litmus")
  (test-check "a .litmus file has litmus-mode and colours"
    (test-assert (eq major-mode 'litmus-mode) "%s" major-mode)
    (font-lock-ensure)
    (test-goto "exists")
    (test-assert (eq (get-text-property (point) 'face) 'font-lock-keyword-face) "no colour"))

  (test-check "the server starts through eglot"
    (apply #'eglot--connect (eglot--guess-contact))
    (eglot--maybe-activate-editing-mode)
    (test-until "eglot manages the buffer" (lambda () (eglot-managed-p))))

  (test-check "the weak outcome is a diagnostic at the condition"
    (let ((found (test-until "a diagnostic" (lambda () (flymake-start) (test-diagnostics "weak outcome")))))
      (test-goto "exists")
      (test-assert (= (line-number-at-pos (flymake-diagnostic-beg (car found))) (line-number-at-pos))
                   "at line %d" (line-number-at-pos (flymake-diagnostic-beg (car found))))))

  (test-check "the lens stands over the condition"
    (test-until "the lens" (lambda () (string-match-p "sometimes under TSO, PSO" (test-lenses))))
    (test-assert (string-match-p "Show witness" (test-lenses)) "%s" (test-lenses)))

  (test-check "the status is there for the mode line"
    (test-until "the status" (lambda () (string-match-p "TSO sometimes" (or fencepost-status "")))))

  (test-check "hovering the condition shows matrix and witness"
    (test-goto "exists")
    (let ((text (plist-get (plist-get (test-request :textDocument/hover :position (test-position)) :contents) :value)))
      (test-assert (and (string-match-p "SC +TSO +PSO" text) (string-match-p "flush x=1" text)) "%s" text)))

  (test-check "the lens opens the witness, which steps through the source"
    (fencepost--run-lens (seq-find (lambda (lens) (string= (fencepost--lens-title lens) "Show witness"))
                                   fencepost--lenses))
    (let ((source (current-buffer)))
      (with-current-buffer "*litmus witness*"
        (test-assert (string-match-p "under TSO" (buffer-string)) "%s" (buffer-string))
        (test-assert (string-match-p "P0: x=1" (buffer-string)) "%s" (buffer-string))
        (test-assert (string-match-p "not under SC.*\n.*program order" (buffer-string)) "%s" (buffer-string))
        (goto-char (point-min))
        (search-forward "step")
        (fencepost-witness-next)
        (test-assert (with-current-buffer source
                       (seq-some (lambda (overlay) (overlay-get overlay 'fencepost-step))
                                 (overlays-in (point-min) (point-max))))
                     "the step marks no line"))))

  (test-check "an edit with an error keeps the lens and says stale"
    (test-goto "r0 = y;")
    (insert "r2 = = ;\n  ")
    (eglot--signal-textDocument/didChange)
    (test-until "the error" (lambda () (flymake-start)
                              (seq-some (lambda (one) (eq (flymake-diagnostic-type one) 'eglot-error))
                                        (flymake-diagnostics))))
    (test-until "stale" (lambda () (string-match-p "[Ss]tale" (test-lenses))))
    (test-assert (string-match-p "sometimes" (test-lenses)) "%s" (test-lenses))
    (test-goto "r2 = = ;\n  ")
    (delete-char (length "r2 = = ;\n  "))
    (let ((inhibit-message t)) (save-buffer)))

  (test-check "the lens over a parameter sets it, and takes it back"
    (cl-flet ((run (title)
                (fencepost--run-lens
                 (test-until title
                             (lambda ()
                               (fencepost-refresh-lenses)
                               (seq-find (lambda (lens) (string= (fencepost--lens-title lens) title))
                                         fencepost--lenses)))))
              (wait (title)
                (test-until title (lambda ()
                                    (fencepost-refresh-lenses)
                                    (string-match-p (regexp-quote title) (test-lenses))))))
      (test-goto "shared")
      (insert "param N = 3;\n")
      (eglot--signal-textDocument/didChange)
      (cl-letf (((symbol-function 'read-string)
                 (lambda (_prompt &optional initial &rest _)
                   (test-assert (equal initial "3") "the prompt starts with %s" initial)
                   "5"))
                (inhibit-message t))
        (run "N = 3 · change"))
      (wait "N = 5 (file says 3) · change")
      (let ((inhibit-message t)) (run "Reset N"))
      (wait "N = 3 · change")
      (test-goto "param N = 3;\n")
      (delete-char (length "param N = 3;\n"))
      (let ((inhibit-message t)) (save-buffer))))

  (test-check "the fence action makes the condition unreachable"
    (let ((action (test-until
                   "the action"
                   (lambda ()
                     (test-goto "exists")
                     (seq-find (lambda (one)
                                 (string-match-p "^Insert `?mfence`? in P0 and P1" (plist-get one :title)))
                               (test-request :textDocument/codeAction
                                             :range (list :start (test-position) :end (test-position))
                                             :context '(:diagnostics [])))))))
      (eglot--apply-workspace-edit (plist-get action :edit))
      (let ((inhibit-message t)) (save-buffer))
      (test-until "the lens says never"
                  (lambda () (string-match-p "never under SC, TSO, PSO" (test-lenses))))))

  (set-buffer-modified-p nil)
  (ignore-errors (eglot-shutdown (eglot-current-server))))

(test-say "# emacs closed")
(kill-emacs (if (= test-failed 0) 0 1))
