// Hidden shadows: written markup can bring a closed shadow with it (`<template shadowrootmode=closed>`), and a frame in there
// is one that inner-documents.js could not watch. So markup that is written brings none.
//
// The name of the attribute may come in pieces, in one text after the other, and a text may be interrupted by what its
// scripts write. Of a name in pieces, either those up to one of them end in `shadow` and more, or the last has `rootmode`
// in it. A zero breaks a name, and is nothing in a text.

import { kept } from './kept-functions.js'

const shadowName = 'shadowrootmode'
const shadowNameStart = 'shadow'
const shadowNameEnd = 'rootmode'

let writtenLast = ''

export function withoutHiddenShadows(text) {
  const broken = breakNames(text)
  writtenLast = kept.slice(writtenLast + kept.toLowerCase(text), -shadowName.length)
  for (let length = shadowNameStart.length; length < shadowName.length; length++) {
    if (kept.endsWith(writtenLast, kept.slice(shadowName, 0, length))) return `${broken}\0`
  }
  return broken
}

function breakNames(text) {
  if (!kept.includes(kept.toLowerCase(text), shadowNameEnd)) return text
  let broken = ''
  for (let at = 0; at < text.length; at++) {
    broken += text[at]
    if (at + 1 < shadowNameEnd.length) continue
    const piece = kept.slice(text, at + 1 - shadowNameEnd.length, at + 1)
    if (kept.toLowerCase(piece) === shadowNameEnd) broken += '\0'
  }
  return broken
}
