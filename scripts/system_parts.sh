#!/bin/sh
# Parts of the system that some tests need: a Chromium, a screen for the desktop window, PgBouncer.
# Installs what is missing where it can (root, apt-get); else says what to install. Never fails.
wanted=""
need() { command -v "$1" >/dev/null 2>&1 || wanted="$wanted $2"; }
library() { ldconfig -p 2>/dev/null | grep -q "$1" || wanted="$wanted $2"; }

need chromium chromium  # for screenshots, and for tests where the next one is not
# The same browser without a window takes a third of the processor's time; not every system has it.
if ! command -v chromium-headless-shell >/dev/null 2>&1 && [ "$(id -u)" = 0 ] &&
  command -v apt-get >/dev/null 2>&1; then
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
      --no-install-recommends chromium-headless-shell; } >/dev/null 2>&1 || true
fi
need pgbouncer pgbouncer
need Xvfb xvfb
need xdotool xdotool
need xprop x11-utils
need dbus-daemon dbus
need gdbus libglib2.0-bin
library libwebkit2gtk-4.1.so.0 libwebkit2gtk-4.1-0
library libayatana-appindicator3.so.1 libayatana-appindicator3-1
[ -z "$wanted" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  log=$(mktemp)
  # shellcheck disable=SC2086
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
      --no-install-recommends $wanted; } >"$log" 2>&1 && rm -f "$log" && exit 0
  tail -n 5 "$log"; rm -f "$log"
fi
echo "*** MISSING:$wanted - the tests that need them are skipped; install them with: ***"
echo "***   apt-get install$wanted"
exit 0
