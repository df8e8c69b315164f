import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Modifier } from '../replay-address.ts'
import { type ContentKind, kindOf, mayBeRewritten } from './content-kind.ts'

const script = 'var a = document'
const page = '<!doctype html><p>'

const cases: [Modifier, string | undefined, string, string, ContentKind][] = [
  ['mp_', undefined, 'text/html', page, 'html'],
  ['mp_', 'iframe', 'text/html', page, 'html'],
  ['mp_', undefined, '', page, 'html'],
  ['mp_', undefined, '', '\xef\xbb\xbf <HTML>', 'html'],
  ['mp_', undefined, 'application/octet-stream', 'plain text', 'none'],
  ['mp_', undefined, 'text/plain', page, 'none'],
  ['mp_', undefined, 'application/xml', '<?xml version="1.0"?><!-- c --><html xmlns="…">', 'xhtml'],
  ['mp_', undefined, 'text/xml', '<?xml version="1.0"?><rss>', 'xml'],
  ['mp_', undefined, 'application/json', '{"a":1}', 'none'],
  ['mp_', undefined, 'text/javascript', script, 'none'],
  ['mp_', undefined, 'application/manifest+json', '{}', 'manifest'],
  ['if_', undefined, 'image/svg+xml', '<svg>', 'svg'],
  ['id_', undefined, 'text/html', page, 'none'],
  ['id_', 'iframe', 'text/html', page, 'none'],
  // A script asks for data, whatever it is.
  ['mp_', 'empty', 'text/html', page, 'none'],
  ['wkrf_', undefined, 'text/javascript', script, 'none'],
  // Servers call scripts and styles anything.
  ['js_', undefined, 'text/html', script, 'script'],
  ['js_', undefined, 'application/octet-stream', script, 'script'],
  ['mp_', 'script', 'text/plain', script, 'script'],
  ['esm_', 'script', 'text/javascript', script, 'module'],
  ['esm_', 'json', 'application/json', '{}', 'none'],
  ['esm_', undefined, 'application/json', '{}', 'none'],
  ['wkr_', 'script', 'text/javascript', script, 'worker'],
  ['wkrf_', 'script', 'text/javascript', script, 'worker'],
  ['wkrm_', 'script', 'text/javascript', script, 'module-worker'],
  ['wkrm_', 'json', 'application/json', '{}', 'none'],
  ['cs_', undefined, 'text/html', 'a{}', 'css'],
  ['oe_', 'style', 'text/css', 'a{}', 'css'],
  // And send error pages for them.
  ['js_', undefined, 'text/html', page, 'none'],
  ['cs_', undefined, 'text/html', page, 'none'],
  ['im_', undefined, 'text/html', page, 'none'],
  ['im_', undefined, 'image/svg+xml', '<svg>', 'svg'],
  ['im_', undefined, '', '<?xml version="1.0"?><svg>', 'svg'],
  ['oe_', undefined, 'application/x-mpegurl', '#EXTM3U', 'hls'],
  ['oe_', undefined, '', '#EXTM3U', 'hls'],
  ['oe_', undefined, 'application/dash+xml', '<MPD>', 'dash'],
  // Bytes that are no text, whatever they are called.
  ['mp_', undefined, 'text/html', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0', 'none'],
  ['mp_', undefined, 'text/html', '%PDF-1.4 text', 'none'],
  ['mp_', undefined, 'text/html', '\xff\xfe<\0h\0t\0m\0l\0>\0', 'html'],
]

test.each(cases)('%s asked as %s, sent as %j: %j is %s', (modifier, destination, mime, start, expected) => {
  const clues = { modifier, destination, mime }
  assert.equal(kindOf(clues, start), expected)
  // What is rewritten must also have been read.
  if (expected !== 'none') assert.ok(mayBeRewritten(clues))
})

test('films, images and fonts are not read into memory to be looked at', () => {
  for (const mime of ['video/mp4', 'image/png', 'font/woff2', 'application/pdf', 'application/zip']) {
    assert.equal(mayBeRewritten({ modifier: 'mp_', destination: undefined, mime }), false)
  }
})
