#!/usr/bin/env bash
# Installs what the build needs and is missing (Debian 12 or a relative, with apt), then builds the release binary.
#
#   cmake/bootstrap.sh                  install, configure, build: build/release/cuwarp-lint
#   cmake/bootstrap.sh --install-only   only install; with --tests also what only tests need (a browser, other shells)
#
# Elsewhere, bring the tools listed below in your own way: without apt nothing is installed and the build goes on.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  cmake ninja-build gcc libc6-dev pkg-config # the build
  libclang-19-dev                            # front end
  libjansson-dev libxxhash-dev libgit2-dev   # JSON, hashing, .gitignore
  libyaml-dev                                # configuration files
  python3 python3-pip                        # fetches the tree-sitter sources, runs test scripts
  python3-venv dpkg-dev file                 # tests/packages, tests/docs_site: wheel, .deb, site
  git pmccabe                                # tests of .gitignore, complexity gate
  g++                                        # tests/emu: kernels as C++ under ThreadSanitizer
)
test_packages=(
  ccache                # .ci/run: no file is compiled twice in the same way
  clang-19 libclang-rt-19-dev # tests/fuzz: libFuzzer
  python3-jsonschema    # tests/emit/run.py: SARIF against its schema
  python3-yaml          # tests/cli: the configuration's schema, and the files of CI services
  neovim                # tests/editors: the language server in an editor
  emacs-nox elpa-eglot  # the same
  nodejs node-typescript # tests/editors: the extension for Visual Studio Code, compiled and run
  chromium              # tests/emit/html.py: the report in a real browser
  bazel-bootstrap       # tests/packages: the aspect in a real Bazel
  mandoc groff zsh fish # tests/cli/shells.py: what reads the man page and the completions
)
only_install=
for argument in "$@"; do
  case $argument in
    --install-only) only_install=yes ;;
    --tests) packages+=("${test_packages[@]}") ;;
    *) echo "bootstrap: unknown argument '$argument'" >&2; exit 2 ;;
  esac
done

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

install_missing() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "bootstrap: no apt here; the build needs: ${packages[*]}" >&2
    return
  fi
  local missing=() package
  for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "bootstrap: installing ${missing[*]}" >&2
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get -qq update >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends "${missing[@]}" >&2
}

install_missing
[ -z "$only_install" ] || exit 0
cmake --preset release
cmake --build --preset release
