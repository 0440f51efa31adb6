# tooth. `make demo` and `make test` are the two commands of the README; both install what is missing and build by themselves.
PREFIX ?= /usr/local
PROGRAM := .build/release/tooth
STATIC := .build/static-libraries

.PHONY: all setup packages build test demo bench install clean

all: build

# The Debian packages that the build needs.
packages:
	@Scripts/setup

# And what the tests need beside them: Python, and Bumble in .build/interop.
setup:
	@Scripts/setup interop

# A release build that carries the Swift runtime. libstdc++ and libgcc go in as well where their archives are there: half of a bare start.
build: packages
	@mkdir -p $(STATIC)
	@for name in libstdc++.a:libstdc++.a libgcc_eh.a:libgcc_s.a; do \
	  archive=$$(gcc -print-file-name=$${name%%:*} 2>/dev/null); \
	  if [ -f "$$archive" ]; then ln -sf "$$archive" $(STATIC)/$${name##*:}; fi; done
	swift build -c release --static-swift-stdlib --product tooth -Xlinker -L$(CURDIR)/$(STATIC)

test: setup
	./check

demo: build
	@if [ -x Scripts/demo ]; then Scripts/demo; else $(PROGRAM) version; fi

bench: build
	@if [ -x Scripts/bench ]; then Scripts/bench; else echo 'bench: there are no figures yet'; fi

install: build
	install -D -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/tooth
	strip $(DESTDIR)$(PREFIX)/bin/tooth
	@if [ -f man/tooth.1 ]; then install -D -m 644 man/tooth.1 $(DESTDIR)$(PREFIX)/share/man/man1/tooth.1; fi
	install -D -m 644 man/tooth-recipe.5 $(DESTDIR)$(PREFIX)/share/man/man5/tooth-recipe.5
	@if [ -f completions/tooth.bash ]; then install -D -m 644 completions/tooth.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tooth; fi
	@if [ -f completions/tooth.zsh ]; then install -D -m 644 completions/tooth.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tooth; fi
	@if [ -f completions/tooth.fish ]; then install -D -m 644 completions/tooth.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tooth.fish; fi

clean:
	rm -rf .build
