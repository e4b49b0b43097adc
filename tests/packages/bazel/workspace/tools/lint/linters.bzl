load("//tools/lint:cuwarp_lint.bzl", "lint_cuwarp_aspect")

plain = lint_cuwarp_aspect(binary = Label("//tools/lint:cuwarp-lint"))
mild = lint_cuwarp_aspect(binary = Label("//tools/lint:cuwarp-lint"), config = Label("//:mild.yaml"), args = ["--arch=sm_80"])
