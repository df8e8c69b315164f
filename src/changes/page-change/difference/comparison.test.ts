import assert from 'node:assert/strict'
import { test } from 'vitest'
import { compareDocuments } from './comparison.ts'
import { linkDifference, listedLinksMax } from './link-difference.ts'

const page = (text: string, contentType = 'text/html; charset=utf-8') => ({
  text,
  contentType,
  url: 'https://a.example/',
  isCut: false,
})

test('two pages: titles, words and links', () => {
  const { titles, text, links, isCut } = compareDocuments({
    left: page('<title>Old</title><p>It rains.<p><a href="/gone">Gone</a><a href="/kept">Kept</a>'),
    right: page('<title>New</title><p>It snows.<p><a href="/come">Come</a><a href="/kept">Still</a>'),
  })
  assert.deepEqual(titles, { left: 'Old', right: 'New' })
  assert.deepEqual(text.counts, { removed: 1, added: 1, changed: 1 })
  assert.deepEqual(links.removed, [{ href: 'https://a.example/gone', text: 'Gone' }])
  assert.deepEqual(links.added, [{ href: 'https://a.example/come', text: 'Come' }])
  assert.deepEqual([links.kept, isCut], [1, false])
})

test('other text is compared by its lines, markup and all', () => {
  const { text } = compareDocuments({
    left: page('{\n"a": 1\n}', 'application/json'),
    right: page('{\n"a": 2\n}', 'application/json'),
  })
  assert.deepEqual(text.counts, { removed: 0, added: 0, changed: 1 })
})

test('only the beginning was compared, and that is said', () => {
  assert(compareDocuments({ left: { ...page('a'), isCut: true }, right: page('a') }).isCut)
})

test('a target counts once, with the first text that says something', () => {
  const links = [
    { href: 'https://a.example/', text: '' },
    { href: 'https://a.example/', text: 'Home' },
  ]
  assert.deepEqual(linkDifference([], links).added, [{ href: 'https://a.example/', text: 'Home' }])
})

test('links beyond the limit are counted', () => {
  const links = Array.from({ length: listedLinksMax + 7 }, (_, index) => ({
    href: `https://a.example/${index}`,
    text: '',
  }))
  const { added, leftOut } = linkDifference([], links)
  assert.deepEqual([added.length, leftOut], [listedLinksMax, { added: 7, removed: 0 }])
})
