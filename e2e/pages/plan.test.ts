// The calculator of plans in a real browser: what follows is there without a script, and follows the sliders with it.

import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { Reader } from './reader.ts'
import { type ServedPages, servePages } from './served-pages.ts'

let served: ServedPages
let reader: Reader

beforeAll(async () => {
  served = await servePages(async () => {})
  reader = await Reader.start()
})
afterAll(async () => {
  await reader?.close()
  await served?.close()
})

test('a plan follows its sliders, and its address says all of it', () =>
  reader.visit(async ({ page, complaints }) => {
    await page.goto(`${served.origin}/plan?preset=herodotus`)
    const peers = page.locator('.plan-peers strong')
    assert.equal(await peers.textContent(), '20,000')
    const copies = page.getByRole('slider', { name: 'Copies of everything' })
    await copies.focus()
    await copies.press('Home')
    assert.equal(await page.getByRole('spinbutton', { name: 'Copies of everything' }).inputValue(), '1')
    assert.equal(await peers.textContent(), '3,000')
    await page.goto(page.url())
    assert.equal(await peers.textContent(), '3,000')
    assert.deepEqual(complaints, [])
  }))
