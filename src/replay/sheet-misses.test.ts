import assert from 'node:assert/strict'
import { test } from 'vitest'
import { SheetMisses } from './sheet-misses.ts'

const sheet = (name: string) => `/web/20200101120000cs_/http://a.org/${name}.css`

test('a sheet lacks what it asked for, and what the sheets that it imports did, round and round', () => {
  const misses = new SheetMisses()
  misses.noteMissing(sheet('a'), 'http://a.org/1.png')
  misses.noteMissing(sheet('a'), 'http://a.org/1.png')
  misses.noteImport(sheet('a'), sheet('b'))
  misses.noteImport(sheet('b'), sheet('a'))
  misses.noteMissing(sheet('b'), 'http://a.org/2.png')
  misses.noteMissing(sheet('c'), 'http://a.org/3.png')
  assert.deepEqual(misses.of([sheet('a')]), ['http://a.org/1.png', 'http://a.org/2.png'])
  assert.deepEqual(misses.of([sheet('other')]), [])
})

test('whatever is asked, no more is kept than there is room for', () => {
  const misses = new SheetMisses()
  for (let one = 0; one < 3_000; one++) {
    for (let part = 0; part < 3; part++)
      misses.noteMissing(sheet(String(one)), `http://a.org/${one}/${part}${'x'.repeat(300)}`)
  }
  assert.equal(misses.of([sheet('2999')]).length, 3)
  assert.deepEqual(misses.of([sheet('0')]), [])
  for (let part = 0; part < 500; part++) misses.noteMissing(sheet('many'), `http://a.org/${part}`)
  assert.equal(misses.of([sheet('many')]).length, 100)
})
