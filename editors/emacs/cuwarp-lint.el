;;; cuwarp-lint.el --- cuwarp-lint's language server for eglot  -*- lexical-binding: t -*-

;;; Commentary:
;; Without cuda-mode, .cu and .cuh files are opened as C++.

;;; Code:
(require 'eglot)

(unless (fboundp 'cuda-mode)
  (define-derived-mode cuda-mode c++-mode "CUDA" "C++ with CUDA."))

(add-to-list 'auto-mode-alist '("\\.cuh?\\'" . cuda-mode))
(add-to-list 'eglot-server-programs '(cuda-mode . ("cuwarp-lint" "lsp")))

(provide 'cuwarp-lint)
;;; cuwarp-lint.el ends here
