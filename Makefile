# SPDX-License-Identifier: Apache-2.0
# The doors to the project; Meson does the building.
.PHONY: demo check check-long bench fuzz install uninstall dist deb format setup setup-build setup-check reference clean
BUILD = build

demo: setup
	@tools/build $(BUILD) --buildtype=release
	./$(BUILD)/src/tare report examples/cluster-month --since 2026-10-01

check: setup-check
	@tools/check

check-long: setup-check
	@tools/check long

# Fuzzers alone; SECONDS for each.
fuzz: setup
	@tools/check fuzz $(or $(SECONDS),60)

bench: setup
	@tools/build $(BUILD) --buildtype=release
	bench/run $(BUILD)/src/tare
	bench/run_codec $(BUILD)/src/libtare.a

# make install DESTDIR=/somewhere PREFIX=/usr; uninstall takes away what that installed.
install: setup-build
	@tools/build build-install --buildtype=release --prefix=$(or $(PREFIX),/usr/local) -Dtests=false
	meson install -C build-install --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

uninstall:
	ninja -C build-install uninstall

# A release, build-dist/tare-VERSION.tar.gz: what is committed.
dist:
	@tools/dist build-dist

# build-deb/tare_VERSION_ARCH.deb for this Debian, and lintian's word on it.
deb: setup-build
	@tools/setup tools/packages-test tools/packages-deb
	@tools/deb build-deb

format:
	clang-format -i $$(find src tests bench -name '*.c' -o -name '*.h')

# docs/reference from the tables; what README.md and docs/guide show of the program.
reference: setup
	@tools/build $(BUILD) --buildtype=release
	tools/reference --write
	tools/readme $(BUILD)/src/tare --write
	tools/guide --write

setup:
	@tools/setup tools/packages tools/packages-test

setup-build:
	@tools/setup

setup-check: setup
	@tools/setup tools/packages-check tools/packages-deb || echo "setup: without these packages some tests are skipped" >&2

clean:
	rm -rf build build-check build-deb build-dist build-install build-portable
