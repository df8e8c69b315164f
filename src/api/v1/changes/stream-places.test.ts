import assert from 'node:assert/strict'
import { test } from 'vitest'
import { StreamPlaces } from './stream-places.ts'

const limits = { owners: 2, strangers: 5, perAddress: 2 }
const stranger = (remoteAddress: string) => ({ isOwner: false, remoteAddress })
const owner = { isOwner: true, remoteAddress: '127.0.0.1' }
const refused = { code: 'too-many-streams' }

test('strangers have places per address and in all, and never the owner’s', () => {
  const places = new StreamPlaces(limits)
  const leave = places.take(stranger('192.0.2.1'))
  places.take(stranger('192.0.2.1'))
  assert.throws(() => places.take(stranger('192.0.2.1')), refused)
  leave()
  leave()
  places.take(stranger('192.0.2.1'))
  assert.throws(() => places.take(stranger('192.0.2.1')), refused)
  // A proxy of this machine speaks for many, but not for more than all strangers.
  for (let count = 0; count < 3; count++) places.take(stranger('127.0.0.1'))
  assert.throws(() => places.take(stranger('127.0.0.1')), refused)
  assert.throws(() => places.take(stranger('192.0.2.2')), refused)
  places.take(owner)
  places.take(owner)
  assert.throws(() => places.take(owner), refused)
})
