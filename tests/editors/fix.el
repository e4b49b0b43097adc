;;; fix.el --- opens kernel.cu, takes the preferred quick fix, waits until the finding is gone  -*- lexical-binding: t -*-
;; Writes what it saw as JSON into the file named in $REPORT.
(require 'json)
(require 'cl-lib)

(defun wait-for (condition)
  (with-timeout (20 (error "Nothing came: %S" (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))
    (while (not (funcall condition))
      (accept-process-output nil 0.05))))

(defun texts ()
  (mapcar (lambda (d) (flymake-diagnostic-text d)) (flymake-diagnostics)))

(let (seen)
  (condition-case trouble
      (progn
        (load (getenv "SETUP"))
        (setq make-backup-files nil)
        (find-file "kernel.cu")
        (push (cons 'mode (symbol-name major-mode)) seen)
        (apply #'eglot (eglot--guess-contact))
        (push (cons 'server (plist-get (eglot--server-info (eglot-current-server)) :name)) seen)
        (wait-for #'flymake-diagnostics)
        (push (cons 'before (vconcat (texts))) seen)
        (push (cons 'line (line-number-at-pos (flymake-diagnostic-beg (car (flymake-diagnostics))))) seen)
        (goto-char (flymake-diagnostic-beg (car (flymake-diagnostics))))
        ;; As with RET at the question which of them: the default.
        (cl-letf (((symbol-function 'completing-read) (lambda (_prompt choices &rest more)
                                                        (or (nth 4 more) (caar choices)))))
          (let ((last-nonmenu-event t))
            (eglot-code-actions (point) nil "quickfix" t)))
        (eglot--signal-textDocument/didChange) ; what its idle timer does, and batch mode has no idle time
        (wait-for (lambda () (null (flymake-diagnostics))))
        (push (cons 'after (length (flymake-diagnostics))) seen)
        (save-buffer)
        (eglot-shutdown (eglot-current-server)))
    (error (push (cons 'error (error-message-string trouble)) seen)))
  (with-temp-file (getenv "REPORT")
    (insert (json-encode seen))))
