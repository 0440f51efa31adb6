# tooth. `make demo` and `make test` are the README's two commands. Both install what is missing and
# build what they need.
PREFIX ?= /usr/local
PROGRAM := .build/release/tooth

.PHONY: all setup packages build test test-kernel test-packages fuzz demo bench soak install uninstall deb tarball clean

all: build

# The Debian packages that the build needs.
packages:
	@Scripts/setup

# What the tests need in addition: Python, and Bumble in .build/interop.
setup:
	@Scripts/setup interop

# A release build that carries the Swift runtime.
build: packages
	@Scripts/build tooth

# CHECK=--no-fuzz leaves out fuzzing, for example.
test: setup
	./check $(CHECK)

# Each family for 20 s; FULL=1 for an hour each.
fuzz: packages
	@Scripts/fuzz

# The scenarios on a real Linux kernel, booted in QEMU over this machine's root.
test-kernel: build
	@Tests/Kernel/run

demo: build
	@if [ -x Scripts/demo ]; then Scripts/demo; else $(PROGRAM) version; fi

bench: setup build
	@Scripts/bench

# Seven simulated days with 500 lost links; fails if memory or database grow. About a minute.
soak: packages
	@TOOTH_BENCH=1 Scripts/build bench && .build/release/bench week 7

# Everything installed comes from the release program and the tree. `uninstall` has the same list.
share := $(DESTDIR)$(PREFIX)/share
units := $(DESTDIR)$(PREFIX)/lib/systemd/system

install: build
	install -D -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/tooth
	strip $(DESTDIR)$(PREFIX)/bin/tooth
	install -D -m 644 man/tooth.1 $(share)/man/man1/tooth.1
	install -D -m 644 man/tooth-recipe.5 $(share)/man/man5/tooth-recipe.5
	@for command in $$(Scripts/commands); do \
	  $(PROGRAM) help --man $$command >$(share)/man/man1/tooth-$$command.1 && chmod 644 $(share)/man/man1/tooth-$$command.1 || exit 1; \
	done
	@sed -i 's,/usr/local/,$(PREFIX)/,g' $(share)/man/man1/tooth.1 $(share)/man/man1/tooth-*.1 $(share)/man/man5/tooth-recipe.5
	install -D -m 644 completions/tooth.bash $(share)/bash-completion/completions/tooth
	install -D -m 644 completions/tooth.zsh $(share)/zsh/site-functions/_tooth
	install -D -m 644 completions/tooth.fish $(share)/fish/vendor_completions.d/tooth.fish
	@for recipe in recipes/*.ble recipes/devices/*.ble; do \
	  install -D -m 644 $$recipe $(share)/doc/tooth/$$recipe || exit 1; \
	done
	@for unit in packaging/*.service packaging/*.socket packaging/*.timer; do \
	  install -d $(units); \
	  sed 's,/usr/local/bin/tooth,$(PREFIX)/bin/tooth,' $$unit >$(units)/$${unit##*/} || exit 1; \
	  chmod 644 $(units)/$${unit##*/}; \
	done
	install -D -m 644 packaging/tooth.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/tooth.conf
	@echo 'units are installed; for adapters kept by the machine: systemd-sysusers && systemctl daemon-reload && systemctl enable --now tooth-keeper@hci0.socket'

# Removes what `install` has written with the same DESTDIR and PREFIX, and folders that are then
# empty.
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/tooth $(share)/man/man1/tooth.1 $(share)/man/man5/tooth-recipe.5
	rm -f $(share)/bash-completion/completions/tooth $(share)/zsh/site-functions/_tooth
	rm -f $(share)/fish/vendor_completions.d/tooth.fish $(DESTDIR)$(PREFIX)/lib/sysusers.d/tooth.conf
	rm -rf $(share)/doc/tooth
	@for command in $$(Scripts/commands); do rm -f $(share)/man/man1/tooth-$$command.1; done
	@for unit in packaging/*.service packaging/*.socket packaging/*.timer; do rm -f $(units)/$${unit##*/}; done
	@for folder in bin share/man/man1 share/man/man5 share/bash-completion/completions share/zsh/site-functions \
	    share/fish/vendor_completions.d share/doc lib/systemd/system lib/sysusers.d; do \
	  if [ -d $(DESTDIR)$(PREFIX)/$$folder ]; then \
	    (cd $(DESTDIR)$(PREFIX) && rmdir --parents --ignore-fail-on-non-empty $$folder); \
	  fi; \
	done

# A Debian package and a relocatable archive, in .build/packages.
deb: build
	@Scripts/package deb

tarball: build
	@Scripts/package tarball

# Tests both in a fresh Debian root: installs, uses and removes them. Needs root.
test-packages: build
	@Tests/packages

clean:
	rm -rf .build
