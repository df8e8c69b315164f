import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { networkIdOf } from './archive-network.ts'
import { networkNumber, randomNumber } from './fixtures/networks.ts'
import { type Invitation, invite, readInvitation, writeInvitation } from './invitation.ts'

const { network, seed } = networkNumber(1)
const malformed = { code: 'network-invitation-malformed' }

function invitation(expiresAtMs?: number): Invitation {
  return invite(network, seed, randomNumber(1), { addresses: ['/ip4/127.0.0.1/tcp/1'], expiresAtMs })
}

describe('an invitation', () => {
  test('is read as it was written, also with space around it', () => {
    for (const made of [invitation(), invitation(1_700_000_000_000)]) {
      assert.deepEqual(readInvitation(` ${writeInvitation(made)}\n`), made)
    }
  })

  test('is one word without anything that a shell would touch', () => {
    assert.match(writeInvitation(invitation()), /^polyhistor-invitation-1\.[\w-]+$/)
  })

  test('each has a key of its own', () => {
    const random = randomNumber(1)
    const [one, other] = [invite(network, seed, random), invite(network, seed, random)]
    assert.notDeepEqual(one.admission?.seed, other.admission?.seed)
  })

  test('to an open network has no key', () => {
    const open = networkNumber(1, 'open')
    const made = invite(open.network, open.seed, randomNumber(1), { addresses: ['/ip4/1.2.3.4/tcp/5'] })
    assert.equal(made.admission, undefined)
    assert.deepEqual(readInvitation(writeInvitation(made)), made)
  })

  test('that was changed in any byte, or cut short, is refused or says the same', () => {
    const made = invitation(1_700_000_000_000)
    const text = writeInvitation(made)
    let refused = 0
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === 'A' ? 'B' : 'A'
      const changed = text.slice(0, at) + other + text.slice(at + 1)
      try {
        const { network, admission } = readInvitation(changed)
        // The name and the addresses are only told, and may be changed; who may come in, and until when, may not.
        assert.deepEqual(
          [network.key, network.kind, admission],
          [made.network.key, 'invited', made.admission],
        )
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'network-invitation-malformed', changed)
        refused++
      }
    }
    assert(refused > text.length / 2)
    for (let length = 0; length < text.length; length += 7) {
      assert.throws(() => readInvitation(text.slice(0, length)), malformed)
    }
  })

  test('signed by another key than the network’s is refused', () => {
    const forged = invite(network, networkNumber(2).seed, randomNumber(1))
    assert.throws(() => readInvitation(writeInvitation(forged)), malformed)
  })

  test('is refused when its secret is not that of the key that was signed', () => {
    const made = invitation()
    const forged = { ...made, admission: { ...made.admission!, seed: new Uint8Array(32).fill(9) } }
    assert.throws(() => readInvitation(writeInvitation(forged)), malformed)
  })

  test.each([
    '',
    'hello',
    'polyhistor-invitation-1.',
    `polyhistor-invitation-1.${'A'.repeat(20_000)}`,
    'polyhistor-invitation-1.bnVsbA',
  ])('%j is none', (text) => {
    assert.throws(() => readInvitation(text), malformed)
  })
})

test('the id of a network follows from its key and its kind, not from its name', () => {
  const ids = [1, 2].flatMap((number) =>
    (['invited', 'open'] as const).map((kind) => networkIdOf(networkNumber(number, kind).network)),
  )
  assert.equal(new Set(ids).size, 4)
  for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/)
  assert.equal(networkIdOf({ ...network, name: 'another name' }), networkIdOf(network))
})
