;;; litmus-mode.el --- Major mode for litmus tests -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Colours, comments and indentation for `.litmus' files: the native dialect,
;; herd7's columns of x86 instructions and its C functions.

;;; Code:

(defgroup litmus nil
  "Litmus tests."
  :group 'languages)

(defcustom litmus-indent-offset 2
  "Columns that a block is indented by."
  :type 'integer
  :safe #'integerp)

(defconst litmus-font-lock-keywords
  `(;; The first word names the dialect.
    ("^\\s-*\\(litmus\\|X86_64\\|X86\\|C\\)\\s-+\\(\\S-+\\)"
     (1 font-lock-preprocessor-face) (2 font-lock-function-name-face))
    ("^\\([A-Z][A-Za-z]*\\)=\\(.*\\)$"
     (1 font-lock-preprocessor-face) (2 font-lock-string-face))
    ("(\\*\\s-*\\(expect\\):" (1 font-lock-keyword-face prepend))
    ;; Conditions.
    (,(regexp-opt '("exists" "forall" "filter" "locations" "expect") 'symbols) . font-lock-keyword-face)
    ;; Models.
    (,(regexp-opt '("SC" "TSO" "PSO") 'symbols) . font-lock-constant-face)
    ;; Verdicts.
    (,(regexp-opt '("never" "sometimes" "always" "true" "false") 'symbols) . font-lock-constant-face)
    ;; Declarations.
    (,(regexp-opt '("shared" "mutex" "param" "const") 'symbols) . font-lock-type-face)
    ("\\_<\\(thread\\)\\_>\\s-+\\(\\sw+\\)" (1 font-lock-type-face) (2 font-lock-function-name-face))
    ;; Statements.
    (,(regexp-opt '("if" "else" "while" "max" "for" "in" "repeat" "break" "continue" "return") 'symbols)
     . font-lock-keyword-face)
    ;; Fences.
    (,(regexp-opt '("mfence" "MFENCE" "sfence" "SFENCE" "lfence" "LFENCE" "smp_mb" "SMP_MB" "smp_wmb" "SMP_WMB" "smp_rmb" "SMP_RMB" "barrier" "BARRIER" "smp_mb__before_atomic" "SMP_MB__BEFORE_ATOMIC" "smp_mb__after_atomic" "SMP_MB__AFTER_ATOMIC" "smp_mb__after_spinlock" "SMP_MB__AFTER_SPINLOCK" "smp_mb__after_unlock_lock" "SMP_MB__AFTER_UNLOCK_LOCK" "atomic_thread_fence" "ATOMIC_THREAD_FENCE") 'symbols) . font-lock-warning-face)
    ;; C: primitives, types and memory orders.
    ("\\_<\\(\\(?:READ\\|WRITE\\)_ONCE\\|\\(?:smp\\|rcu\\|srcu\\|spin\\|atomic\\|xchg\\|cmpxchg\\|synchronize\\)\\(?:_[a-z_]+\\)?\\)\\s-*("
     (1 font-lock-builtin-face))
    ("\\_<\\(int\\|void\\|volatile\\|[a-z_]+_t\\|atomic_int\\)\\_>[ *)]" (1 font-lock-type-face))
    ("\\_<memory_order_[a-z_]+\\_>" . font-lock-constant-face)
    ("^\\(P[0-9]+\\)\\s-*(" (1 font-lock-function-name-face))
    ;; Calls.
    (,(regexp-opt '("xchg" "cas" "fetch_add" "fetch_sub" "fetch_and" "fetch_or" "fetch_xor" "fetch_max" "fetch_min" "lock" "unlock" "assert" "assume" "await")
                  'symbols)
     . font-lock-builtin-face)
    ("\\_<\\(P?[0-9]+\\|[A-Za-z_][A-Za-z0-9_]*\\)\\(?:\\[[^]]*\\]\\)?:\\(%?[A-Za-z_][A-Za-z0-9_]*\\)"
     (1 font-lock-function-name-face) (2 font-lock-variable-name-face))
    ("\\(?:^\\||\\)\\s-*\\(P[0-9]+\\)\\s-*[|;]" (1 font-lock-function-name-face))
    ("\\(?:^\\||\\)\\s-*\\(?:[Ll][Oo][Cc][Kk]\\s-+\\)?\\([A-Za-z]+\\)\\s-+[][$%()A-Za-z0-9]"
     (1 font-lock-builtin-face)))
  "Colours of litmus tests.")

(defvar litmus-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "." table)
    (modify-syntax-entry ?/ "." table)
    (modify-syntax-entry ?\( "()1n" table)
    (modify-syntax-entry ?* ". 23n" table)
    (modify-syntax-entry ?\) ")(4n" table)
    (modify-syntax-entry ?\n "> b" table)
    table)
  "Herd's nested comments; C's are added by `litmus--propertize'.")

(defun litmus--in-function-p (at)
  "Whether AT is in a function of a C test, where `(*x' is no comment."
  (save-excursion
    (goto-char (point-min))
    (and (looking-at-p "\\s-*C\\s-")
         (progn (goto-char at)
                (re-search-backward "^\\(?:P[0-9]+\\s-*(\\|}\\)" nil t))
         (eq (char-after) ?P))))

(defun litmus--propertize (start end)
  "Mark `//' and `/* */' between START and END as comments.
They share characters with herd's comments, so a syntax table alone cannot."
  (goto-char start)
  (while (re-search-forward "(\\*" end t)
    (when (litmus--in-function-p (match-beginning 0))
      (put-text-property (1- (point)) (point) 'syntax-table (string-to-syntax "."))))
  (goto-char start)
  (while (re-search-forward "//\\|/\\*\\|\\*/" end t)
    (let* ((from (match-beginning 0))
           (state (save-excursion (syntax-ppss from)))
           (mark (lambda (at syntax)
                   (put-text-property at (1+ at) 'syntax-table (string-to-syntax syntax)))))
      (cond
       ((nth 3 state))
       ((nth 4 state)
        (when (and (string= (match-string 0) "*/") (eq (nth 7 state) 2))
          (funcall mark (1+ from) "> c")))
       ((string= (match-string 0) "//") (funcall mark from "< b"))
       ((string= (match-string 0) "/*") (funcall mark from "< c"))))))

(defun litmus-indent-line ()
  "Indent by the depth of the blocks around the line."
  (interactive)
  (let* ((depth (save-excursion
                  (back-to-indentation)
                  (- (car (syntax-ppss)) (if (looking-at-p "[])}]") 1 0))))
         (column (* litmus-indent-offset (max depth 0))))
    (if (save-excursion (beginning-of-line) (looking-at-p "\\s-*.*|"))
        'noindent
      (save-excursion (indent-line-to column))
      (when (< (current-column) column)
        (back-to-indentation)))))

;;;###autoload
(define-derived-mode litmus-mode prog-mode "Litmus"
  "Major mode for litmus tests."
  (setq-local font-lock-defaults '(litmus-font-lock-keywords))
  (setq-local comment-start "(* ")
  (setq-local comment-end " *)")
  (setq-local comment-start-skip "\\(?:(\\*\\|//\\|/\\*\\)[ \t]*")
  (setq-local syntax-propertize-function #'litmus--propertize)
  (setq-local indent-line-function #'litmus-indent-line)
  (setq-local indent-tabs-mode nil))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.litmus\\'" . litmus-mode))

(provide 'litmus-mode)
;;; litmus-mode.el ends here
