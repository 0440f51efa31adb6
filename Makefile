# tooth. `make demo` and `make test` are the two commands of the README; both install what is missing and build by themselves.
PREFIX ?= /usr/local
PROGRAM := .build/release/tooth

.PHONY: all setup packages build test test-kernel fuzz demo bench soak install uninstall clean

all: build

# The Debian packages that the build needs.
packages:
	@Scripts/setup

# And what the tests need beside them: Python, and Bumble in .build/interop.
setup:
	@Scripts/setup interop

# A release build that carries the Swift runtime.
build: packages
	@Scripts/build tooth

test: setup
	./check

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

# Seven simulated days with 500 lost links: fails when memory or database grow. About a minute.
soak: packages
	@TOOTH_BENCH=1 Scripts/build bench && .build/release/bench week 7

install: build
	install -D -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/tooth
	strip $(DESTDIR)$(PREFIX)/bin/tooth
	@if [ -f man/tooth.1 ]; then install -D -m 644 man/tooth.1 $(DESTDIR)$(PREFIX)/share/man/man1/tooth.1; fi
	install -D -m 644 man/tooth-recipe.5 $(DESTDIR)$(PREFIX)/share/man/man5/tooth-recipe.5
	@if [ -f completions/tooth.bash ]; then install -D -m 644 completions/tooth.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tooth; fi
	@if [ -f completions/tooth.zsh ]; then install -D -m 644 completions/tooth.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tooth; fi
	@if [ -f completions/tooth.fish ]; then install -D -m 644 completions/tooth.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tooth.fish; fi
	@for recipe in recipes/*.ble recipes/devices/*.ble; do \
	  install -D -m 644 $$recipe $(DESTDIR)$(PREFIX)/share/doc/tooth/$$recipe || exit 1; \
	done
	@for unit in packaging/*.service packaging/*.socket packaging/*.timer; do \
	  install -d $(DESTDIR)$(PREFIX)/lib/systemd/system; \
	  sed 's,/usr/local/bin/tooth,$(PREFIX)/bin/tooth,' $$unit >$(DESTDIR)$(PREFIX)/lib/systemd/system/$${unit##*/} || exit 1; \
	  chmod 644 $(DESTDIR)$(PREFIX)/lib/systemd/system/$${unit##*/}; \
	done
	install -D -m 644 packaging/tooth.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/tooth.conf
	@echo 'units are installed; for adapters kept by the machine: systemd-sysusers && systemctl daemon-reload && systemctl enable --now tooth-keeper@hci0.socket'

# Removes what `install` has written, with the same DESTDIR and PREFIX.
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/tooth $(DESTDIR)$(PREFIX)/share/man/man1/tooth.1 $(DESTDIR)$(PREFIX)/share/man/man5/tooth-recipe.5
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tooth $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tooth
	rm -f $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tooth.fish $(DESTDIR)$(PREFIX)/lib/sysusers.d/tooth.conf
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/tooth
	@for unit in packaging/*.service packaging/*.socket packaging/*.timer; do \
	  rm -f $(DESTDIR)$(PREFIX)/lib/systemd/system/$${unit##*/}; \
	done

clean:
	rm -rf .build
