#!/usr/bin/env node
// The command of the installed package. Written in old JavaScript, so that an old Node gets as far as the sentence
// that says it is too old.
'use strict'
var oldest = 24
var major = parseInt(process.versions.node.split('.')[0], 10)
if (major < oldest) {
  process.stderr.write(
    'polyhistor needs Node.js ' +
      oldest +
      ' or newer, and this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      '). Install a newer one and run the same command again.\n',
  )
  process.exit(69)
}
require('../dist/cli/main.js')
