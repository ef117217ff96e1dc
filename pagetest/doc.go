// Package pagetest opens the pages of releases in a browser, Chromium, and looks at what readers meet there: pictures,
// tables, keyboard, small screens, print, and accessibility by axe-core. It is a module of its own, since the program
// needs none of this. Without a browser its tests skip and say so.
package pagetest
