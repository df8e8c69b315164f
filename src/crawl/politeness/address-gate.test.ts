import assert from 'node:assert/strict'
import { test } from 'vitest'
import { AddressGate } from './address-gate.ts'
import { politenessDefault, politenessOff } from './politeness-rules.ts'

const rules = { ...politenessDefault, perAddressMax: 2, addressDelayMs: 250 }

test('so many requests at once go to an address, and the next a while after one has ended', () => {
  const gate = new AddressGate(rules)
  assert.equal(gate.nextAtMs('a'), 0)
  gate.begin('a')
  assert.equal(gate.nextAtMs('a'), 0)
  gate.begin('a')
  assert.equal(gate.nextAtMs('a'), Number.POSITIVE_INFINITY)
  assert.equal(gate.nextAtMs('b'), 0)
  gate.end('a', 1_000)
  assert.equal(gate.nextAtMs('a'), 1_250)
  gate.end('a', 900)
  assert.equal(gate.nextAtMs('a'), 1_250)
})

test('who did not ask leaves no trace', () => {
  const gate = new AddressGate(rules)
  gate.begin('a')
  gate.end('a', undefined)
  assert.equal(gate.nextAtMs('a'), 0)
})

test('it can be switched off', () => {
  const gate = new AddressGate(politenessOff)
  for (let count = 0; count < 1_000; count++) gate.begin('a')
  gate.end('a', 5)
  assert.equal(gate.nextAtMs('a') <= 5, true)
})
