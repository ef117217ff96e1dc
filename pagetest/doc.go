// Package pagetest opens the pages of releases in a browser, Chromium, and tests what readers use: pictures, tables,
// the keyboard, small screens, print, and accessibility by axe-core. It is a module of its own, since the program needs
// none of its dependencies. Without a browser its tests are skipped.
package pagetest
