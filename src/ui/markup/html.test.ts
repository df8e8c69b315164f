import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { properties } from './html.fuzz.ts'
import { html, nothing } from './html.ts'

test('values are escaped, markup of ours is not', () => {
  const inner = html`<b>${'<i>'}</b>`
  assert.equal(html`<p>${inner}${'&'}</p>`.toString(), '<p><b>&lt;i&gt;</b>&amp;</p>')
})

test('lists are joined, numbers printed, nothing is nothing', () => {
  assert.equal(
    html`${[html`<i></i>`, '<', 3, [4]]}${undefined}${false}${nothing}`.toString(),
    '<i></i>&lt;34',
  )
})

test('what only looks like markup is refused', () => {
  const forged = { toString: () => '<script>' } as unknown as string
  assert.throws(() => html`${forged}`)
  const copied = JSON.parse(JSON.stringify({ markup: '<script>' }))
  assert.throws(() => html`${copied}`)
})

describe('of any text', () => {
  test.each(properties)('$name', ({ property }) => fc.assert(property, { numRuns: 300, seed: 1 }))
})
