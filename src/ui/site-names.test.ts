import assert from 'node:assert/strict'
import { test } from 'vitest'
import { SiteNames } from './site-names.ts'

function sitesOf(count: number) {
  const source = {
    revision: 1,
    count,
    looks: 0,
    *sites() {
      for (let site = 0; site < source.count; site++) {
        source.looks++
        yield { url: `https://s${(site * 7) % source.count}.example/` }
      }
    },
  }
  let nowMs = 100_000
  const names = new SiteNames(
    { source, monotonicMs: () => nowMs, breathe: async () => {} },
    { names: 50, ageMs: 1_000, ageMsPerName: 10, waitedNames: 5 },
  )
  return { source, names, wait: (ms: number) => (nowMs += ms) }
}

test('names come sorted, and are collected once for all who ask', async () => {
  const { source, names } = sitesOf(10)
  const lists = await Promise.all([names.all(), names.all(), names.all()])
  assert.deepEqual(
    lists[2]!.names,
    Array.from({ length: 10 }, (_, site) => `s${site}.example`),
  )
  assert.equal(source.looks, 10)
  await names.all()
  assert.equal(source.looks, 10)
})

test('they are collected anew when the archive has changed, though not at every change', async () => {
  const { source, names, wait } = sitesOf(3)
  await names.all()
  source.count = 4
  source.revision++
  wait(1_020)
  assert.equal((await names.all()).names.length, 3)
  wait(20)
  assert.equal((await names.all()).names.length, 4)
  wait(2_000)
  await names.all()
  assert.equal(source.looks, 7)
})

test('of very many only so many are looked at', async () => {
  const { source, names } = sitesOf(1_000)
  const { names: listed, isMore } = await names.all()
  assert.deepEqual([listed.length, isMore], [50, true])
  assert(source.looks <= 51)
})

test('a long list of before is given at once, and the new one when it is there', async () => {
  const { source, names, wait } = sitesOf(10)
  await names.all()
  source.count = 11
  source.revision++
  wait(5_000)
  assert.equal((await names.all()).names.length, 10)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal((await names.all()).names.length, 11)
})

test('the first site is listed at once: an empty list is never young', async () => {
  const { source, names } = sitesOf(0)
  assert.deepEqual((await names.all()).names, [])
  source.count = 1
  source.revision++
  assert.deepEqual((await names.all()).names, ['s0.example'])
})
