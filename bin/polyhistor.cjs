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

// Room that malloc and V8 take and need not. It can only be said to a process that starts, so this one starts anew where it
// matters: for what runs long, and where somebody wants it. As in the launcher of a clone; bench/results/frontier.md has the
// figures.
var words = process.argv.slice(2)
var isLong = words.indexOf('crawl') >= 0 || words.indexOf('peer') >= 0
var isSmall = process.env.POLYHISTOR_MEMORY === 'small'
var room = isSmall ? ['--max-semi-space-size=8', '--heap-growing-percent=30'] : ['--max-semi-space-size=16']
var malloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144', MALLOC_TRIM_THRESHOLD_: '262144' }
var join = require('node:path').join
var cli = join(__dirname, '..', 'dist', 'cli')
var main = join(cli, 'main.js')
if ((isLong || isSmall) && process.execve !== undefined && process.platform !== 'win32') {
  process.execve(
    process.execPath,
    [process.execPath].concat(room, process.execArgv, main, words),
    Object.assign(malloc, process.env),
  )
}
// To load the program takes longer than this command does.
if (words[0] !== 'url' || !require(join(cli, 'url.cjs')).runUrlsAlone(words)) require(main)
