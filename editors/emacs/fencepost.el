;;; fencepost.el --- Check litmus tests with eglot -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Runs `fencepost lsp' through eglot and adds what eglot does not show:
;; lenses over the conditions and a witness buffer.

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'litmus-mode)

(defcustom fencepost-program "fencepost"
  "The fencepost binary."
  :type 'string
  :group 'litmus)

(defcustom fencepost-settings nil
  "Settings of the server as a plist, for example (:check (:run \"onType\"))."
  :type 'plist
  :group 'litmus)

(defface fencepost-lens '((t :inherit shadow :height 0.9))
  "Lenses over the conditions."
  :group 'litmus)

(defface fencepost-step '((t :inherit highlight :extend t))
  "The source line of a witness's step."
  :group 'litmus)

;;;; The server

(defclass fencepost-server (eglot-lsp-server) ()
  :documentation "The server `fencepost lsp'.")

(add-to-list 'eglot-server-programs
             `(litmus-mode . ,(lambda (&rest _) (list 'fencepost-server fencepost-program "lsp"))))

(cl-defmethod eglot-client-capabilities ((_server fencepost-server))
  "Ask for status notifications, and say which lenses run here."
  (plist-put (cl-call-next-method) :experimental
             '(:fencepost (:status t :commands ["fencepost.showWitness" "fencepost.setParam"]))))

(cl-defmethod eglot-initialization-options ((_server fencepost-server))
  "The settings, as the server wants them at the start."
  (or fencepost-settings eglot--{}))

(defvar-local fencepost-status nil
  "What the server last said about this buffer, for the mode line.")

(cl-defmethod eglot-handle-notification
  ((_server fencepost-server) (_method (eql fencepost/status)) &key uri message stale &allow-other-keys)
  "Note the state of the document URI and draw its lenses anew."
  (when-let ((buffer (find-buffer-visiting (eglot--uri-to-path uri))))
    (with-current-buffer buffer
      (setq fencepost-status (concat message (and (eq stale t) " (stale)")))
      (fencepost-refresh-lenses)
      (force-mode-line-update))))

(defun fencepost--document ()
  "The current buffer as the protocol names it."
  (list :textDocument (eglot--TextDocumentIdentifier)))

(defun fencepost--uri ()
  "The current buffer's URI."
  (plist-get (eglot--TextDocumentIdentifier) :uri))

(defun fencepost--execute (command &rest argument)
  "Run COMMAND of the server with the plist ARGUMENT; return its answer."
  (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                   (list :command command
                         :arguments (vector (append (list :uri (fencepost--uri)) argument)))))

(defun fencepost-check ()
  "Check the test as it is now."
  (interactive)
  (fencepost--execute "fencepost.checkNow"))

(defun fencepost-stop ()
  "Stop checking this test."
  (interactive)
  (fencepost--execute "fencepost.cancel"))

(defun fencepost-insert-fences (&optional condition)
  "Choose fences that make CONDITION (by default 0) unreachable."
  (interactive)
  (let* ((answer (fencepost--execute "fencepost.suggestFences" :condition (or condition 0)))
         (sets (append (plist-get answer :sets) nil))
         (titles (mapcar (lambda (set) (plist-get set :title)) sets)))
    (if (null sets)
        (message "%s" (string-trim (plist-get answer :text)))
      (let* ((title (if (cdr titles) (completing-read "Fences: " titles nil t) (car titles)))
             (set (cl-find title sets :key (lambda (set) (plist-get set :title)) :test #'string=)))
        (eglot--apply-workspace-edit (plist-get set :edit) t)))))

(defun fencepost-set-param (name &optional value)
  "Check with VALUE for the parameter NAME; without one, with the file's own."
  (interactive (list (read-string "Parameter: ")
                     (read-string "Value (empty: the file's own): ")))
  (let ((answer (if (string-empty-p (or value ""))
                    (fencepost--execute "fencepost.setParam" :name name :reset t)
                  (fencepost--execute "fencepost.setParam" :name name :value value))))
    (message "%s" (plist-get answer :text))))

(defun fencepost--run-param-lens (argument)
  "Do what the lens over a parameter offers; ARGUMENT is its own."
  (let ((name (plist-get argument :name)))
    (fencepost-set-param
     name
     (unless (plist-member argument :reset)
       (read-string (format "%s = " name)
                    (format "%s" (or (plist-get argument :current) (plist-get argument :written))))))))

;;;; Lenses

(defvar-local fencepost--lenses nil
  "The lenses of this buffer as the server gave them.")

(defun fencepost-refresh-lenses ()
  "Ask for the lenses of this buffer and draw them."
  (when-let ((server (eglot-current-server)))
    (let ((buffer (current-buffer)))
      (jsonrpc-async-request
       server :textDocument/codeLens (fencepost--document)
       :success-fn (lambda (lenses)
                     (when (buffer-live-p buffer)
                       (with-current-buffer buffer
                         (fencepost--draw-lenses (append lenses nil)))))
       :error-fn #'ignore))))

(defun fencepost--draw-lenses (lenses)
  "Show LENSES over their lines."
  (remove-overlays nil nil 'fencepost-lens t)
  (setq fencepost--lenses lenses)
  (let ((by-line (seq-group-by (lambda (lens)
                                 (plist-get (plist-get (plist-get lens :range) :start) :line))
                               lenses)))
    (pcase-dolist (`(,line . ,group) by-line)
      (save-excursion
        (save-restriction
          (widen)
          (goto-char (point-min))
          (forward-line line)
          (let ((overlay (make-overlay (point) (point))))
            (overlay-put overlay 'fencepost-lens t)
            (overlay-put overlay 'before-string
                         (concat (mapconcat #'fencepost--lens-text group
                                            (propertize " | " 'face 'fencepost-lens))
                                 "\n"))))))))

(defun fencepost--lens-text (lens)
  "LENS as text that runs it when clicked."
  (let ((map (make-sparse-keymap)))
    (define-key map [mouse-1] (lambda () (interactive) (fencepost--run-lens lens)))
    (propertize (fencepost--lens-title lens)
                'face 'fencepost-lens 'mouse-face 'highlight 'keymap map)))

(defun fencepost--lens-title (lens)
  "The text of LENS."
  (or (plist-get (plist-get lens :command) :title) "…"))

(defun fencepost--run-lens (lens)
  "Do what LENS offers."
  (let* ((command (plist-get lens :command))
         (name (plist-get command :command))
         (arguments (plist-get command :arguments)))
    (pcase name
      ((or 'nil ""))
      ("fencepost.showWitness" (fencepost-show-witness (aref arguments 0)))
      ("fencepost.setParam" (fencepost--run-param-lens (aref arguments 0)))
      ("fencepost.suggestFences" (fencepost-insert-fences (plist-get (aref arguments 0) :condition)))
      (_ (let ((answer (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                                        (list :command name :arguments arguments))))
           (when (plist-get answer :text)
             (display-message-or-buffer (plist-get answer :text) "*fencepost*")))))))

(defun fencepost-run-lens ()
  "Choose one of the buffer's lenses by its text and run it."
  (interactive)
  (let* ((titles (mapcar (lambda (lens) (cons (fencepost--lens-title lens) lens)) fencepost--lenses))
         (title (completing-read "Lens: " titles nil t)))
    (fencepost--run-lens (cdr (assoc title titles)))))

;;;; Witnesses

(defvar-local fencepost--witness-source nil
  "The buffer of the test whose witness is shown.")

(defvar fencepost-witness-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "n") #'fencepost-witness-next)
    (define-key map (kbd "p") #'fencepost-witness-previous)
    (define-key map (kbd "RET") #'fencepost-witness-visit)
    map))

(define-derived-mode fencepost-witness-mode special-mode "Witness"
  "One execution of a litmus test, step by step."
  (setq truncate-lines t)
  (add-hook 'kill-buffer-hook #'fencepost--unmark-source nil t))

(defun fencepost-show-witness (&optional argument)
  "Show an execution that the test's condition asks for, step by step.
ARGUMENT is a lens's: it says which model and outcome are meant."
  (interactive)
  (let* ((choice (or (cl-loop for (key value) on argument by #'cddr
                              unless (memq key '(:uri :model)) append (list key value))
                     '(:condition 0)))
         (models (if-let ((model (plist-get argument :model))) (list model) '("SC" "TSO" "PSO")))
         (server (eglot--current-server-or-lose))
         (witness (cl-some (lambda (model)
                             (jsonrpc-request server :fencepost/witness
                                              (append (fencepost--document) (list :model model) choice)))
                           models)))
    (if witness
        (fencepost--display-witness witness (current-buffer))
      (message "No execution under %s ends so" (string-join models ", ")))))

(defun fencepost--display-witness (witness source)
  "Show WITNESS of the test in the buffer SOURCE, in the one witness buffer."
  (with-current-buffer (get-buffer-create "*litmus witness*")
    (fencepost-witness-mode)
    (setq fencepost--witness-source source)
    (let ((inhibit-read-only t)
          (rows (fencepost--witness-rows witness)))
      (erase-buffer)
      (insert (plist-get witness :title)
              (if (eq (plist-get witness :stale) t) "  (stale)\n\n" "\n\n"))
      (cl-loop with widths = (fencepost--column-widths (mapcar #'cdr rows))
               for (range . cells) in rows
               do (insert (propertize (fencepost--row-text cells widths) 'fencepost-range range) "\n"))
      (fencepost--insert-cycle witness))
    (goto-char (point-min))
    (display-buffer (current-buffer))))

(defun fencepost--insert-cycle (witness)
  "Say why a stronger model has no execution like WITNESS."
  (when-let ((forbidden (plist-get witness :forbidden)))
    (let* ((steps (plist-get witness :steps))
           (rows (mapcar
                  (lambda (link)
                    (let* ((from (plist-get link :from))
                           (step (aref steps from)))
                      (list (format "%3d" (1+ from))
                            (aref (plist-get witness :threads) (plist-get step :thread))
                            (plist-get step :text)
                            (plist-get link :text))))
                  (plist-get forbidden :cycle)))
           (widths (fencepost--column-widths rows)))
      (insert "\n" (plist-get forbidden :text) "\n")
      (dolist (cells rows)
        (insert (fencepost--row-text cells widths) "\n")))))

(defun fencepost--witness-rows (witness)
  "The heading and the steps of WITNESS as lists (RANGE . CELLS)."
  (let ((threads (append (plist-get witness :threads) nil)))
    (cons
     (cons nil (append '("step") threads '("buffers" "memory")))
     (mapcar
      (lambda (step)
        (cons (plist-get step :range)
              (append
               (list (format "%3d" (1+ (plist-get step :index))))
               (cl-loop for index below (length threads)
                        collect (if (= index (plist-get step :thread)) (plist-get step :text) ""))
               (list (fencepost--buffers-text threads (plist-get step :buffers))
                     (fencepost--memory-text (plist-get step :memory))))))
      (plist-get witness :steps)))))

(defun fencepost--buffers-text (threads buffers)
  "The store BUFFERS of THREADS that hold something."
  (string-join
   (cl-loop for name in threads
            for entries across buffers
            unless (seq-empty-p entries)
            collect (concat name ": "
                            (mapconcat (lambda (entry)
                                         (format "%s=%s" (plist-get entry :location) (plist-get entry :value)))
                                       entries " ")))
   "  "))

(defun fencepost--memory-text (memory)
  "The plist MEMORY as `x=1 y=0'."
  (cl-loop for (name value) on memory by #'cddr
           collect (format "%s=%s" (substring (symbol-name name) 1) value) into parts
           finally return (string-join parts " ")))

(defun fencepost--column-widths (rows)
  "How wide each column of ROWS must be."
  (apply #'cl-mapcar (lambda (&rest cells) (apply #'max (mapcar #'string-width cells))) rows))

(defun fencepost--row-text (cells widths)
  "CELLS side by side, each as wide as WIDTHS says."
  (string-trim-right
   (string-join (cl-mapcar (lambda (cell width) (string-pad cell width)) cells widths) "  ")))

(defun fencepost--unmark-source ()
  "Remove the mark of the step from the source."
  (when (buffer-live-p fencepost--witness-source)
    (with-current-buffer fencepost--witness-source
      (remove-overlays nil nil 'fencepost-step t))))

(defun fencepost--mark-source ()
  "Mark the source line of the step at point; return its position or nil."
  (fencepost--unmark-source)
  (when-let ((range (get-text-property (point) 'fencepost-range)))
    (with-current-buffer fencepost--witness-source
      (pcase-let ((`(,from . ,_) (eglot--range-region range)))
        (save-excursion
          (goto-char from)
          (let ((overlay (make-overlay (line-beginning-position) (line-beginning-position 2))))
            (overlay-put overlay 'fencepost-step t)
            (overlay-put overlay 'face 'fencepost-step)))
        from))))

(defun fencepost-witness-next ()
  "Go to the next step and mark its line."
  (interactive)
  (forward-line 1)
  (fencepost--mark-source))

(defun fencepost-witness-previous ()
  "Go to the previous step and mark its line."
  (interactive)
  (forward-line -1)
  (fencepost--mark-source))

(defun fencepost-witness-visit ()
  "Go to the source of the step at point."
  (interactive)
  (when-let ((position (fencepost--mark-source)))
    (pop-to-buffer fencepost--witness-source)
    (goto-char position)))

(provide 'fencepost)
;;; fencepost.el ends here
