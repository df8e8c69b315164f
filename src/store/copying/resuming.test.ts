import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture } from '../fixtures/sample-captures.ts'
import { Spool } from '../spool.ts'
import type { Store } from '../store.ts'
import type { FlowingCopy, ReceiveOutcome, StoredCopy } from './copying.ts'
import { PartialCopies } from './partial-copies.ts'

// On a real disk: what flows through a decompressor is not simulated.
const body = createHash('shake256', { outputLength: 3_000_000 }).update('large').digest()
const request = Buffer.from('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n')
const cutOff = new PolyhistorError('test-cut-off', 'The other peer is gone')

async function giverAndCopy(): Promise<{ sender: Store; copy: StoredCopy }> {
  const sender = await openStore()
  const { capture } = await sender.append(pageCapture('http://a.test/', 1_000, body, { request }))
  return { sender, copy: await storedIn(sender, capture.cursor) }
}

async function storedIn(store: Store, cursor: string): Promise<StoredCopy> {
  const { stored } = (await store.give(cursor)) as FlowingCopy
  assert(stored !== undefined)
  return stored
}

/** What comes of a copy from a sender of which only so many bytes come, and from where on it was asked. */
async function takeSome(
  receiver: Store,
  copy: StoredCopy,
  { bytesMax = Number.POSITIVE_INFINITY, spoil = (chunk: Uint8Array) => chunk } = {},
): Promise<{ outcome: ReceiveOutcome | unknown; asked: number }> {
  let asked = -1
  async function* from(offset: number): AsyncGenerator<Uint8Array> {
    asked = offset
    let sent = 0
    for await (const chunk of copy.from(offset)) {
      yield spoil(chunk)
      sent += chunk.length
      if (sent >= bytesMax) throw cutOff
    }
  }
  const outcome = await receiver
    .take({ name: 'one', stored: { ...copy, from } })
    .catch((error: unknown) => error)
  return { outcome, asked }
}

async function checkTaken(receiver: Store): Promise<StoredCopy> {
  const [taken, ...others] = receiver.scan({ kind: 'all' })
  assert.equal(others.length, 0)
  const { payload } = await receiver.read(taken!)
  assert.deepEqual(await bytesOf(payload()), body)
  assert.deepEqual(await receiver.checkIndex(), [])
  assert.deepEqual(await readdir(join(receiver.folder, 'spool')), [])
  return storedIn(receiver, taken!.cursor)
}

describe('a large copy', () => {
  test('is kept as it came, so that all who have it have the same bytes', async () => {
    const { copy } = await giverAndCopy()
    const receiver = await openStore()
    assert.equal((await takeSome(receiver, copy)).outcome, 'kept')
    const taken = await checkTaken(receiver)
    assert.deepEqual(await bytesOf(taken.from(0)), await bytesOf(copy.from(0)))
    assert.equal(taken.checksum, copy.checksum)
  })

  test('that was cut off goes on from there, also from somebody else', async () => {
    const { copy } = await giverAndCopy()
    const [other, receiver] = [await openStore(), await openStore()]
    await takeSome(other, copy)
    const first = await takeSome(receiver, copy, { bytesMax: 1_000_000 })
    assert.equal(first.outcome, cutOff)
    const second = await takeSome(receiver, await checkTaken(other))
    assert.equal(second.outcome, 'kept')
    assert(second.asked >= 1_000_000 && second.asked < copy.sizeBytes)
    await checkTaken(receiver)
  })

  test('of parts that do not belong together is refused, and begins anew', async () => {
    const { copy } = await giverAndCopy()
    const receiver = await openStore()
    const spoil = (chunk: Uint8Array): Uint8Array => Uint8Array.from(chunk, (byte) => byte ^ 1)
    await takeSome(receiver, copy, { bytesMax: 1_000_000, spoil })
    const { outcome } = await takeSome(receiver, copy)
    assert(outcome instanceof WarcDamage)
    assert.equal([...receiver.scan({ kind: 'all' })].length, 0)
    assert.deepEqual(await takeSome(receiver, copy), { outcome: 'kept', asked: 0 })
    await checkTaken(receiver)
  })

  test.each([1_000, -1_000])('that is not as large as was told is refused: %d bytes', async (difference) => {
    const { copy } = await giverAndCopy()
    const receiver = await openStore()
    const told = { ...copy, sizeBytes: copy.sizeBytes + difference }
    assert((await takeSome(receiver, told)).outcome instanceof WarcDamage)
    assert.equal((await takeSome(receiver, copy)).asked, 0)
  })

  test('that was cut off is forgotten with the store', async () => {
    const { copy } = await giverAndCopy()
    const receiver = await openStore()
    await takeSome(receiver, copy, { bytesMax: 1_000_000 })
    assert.equal((await readdir(join(receiver.folder, 'spool'))).length, 1)
    await receiver.close()
    assert.deepEqual(await readdir(join(receiver.folder, 'spool')), [])
  })
})

describe('parts that are kept', () => {
  test('are bounded in number and bytes: the one that was left first goes', async () => {
    const world = simulatedWorld({ seed: 1 })
    const { disk } = world.machine('a')
    const run = async (): Promise<void> => {
      const spool = new Spool({ disk }, '/spool')
      const parts = new PartialCopies({ bytesMax: 1_000 })
      const keep = async (name: string, bytes: number): Promise<void> => {
        const part = await spool.open()
        await part.append(new Uint8Array(bytes))
        await parts.keep(name, part)
      }
      for (let number = 0; number < 20; number++) await keep(`part ${number}`, 10)
      assert.equal((await disk.list('/spool')).length, 8)
      assert.equal(parts.take('part 0'), undefined)
      await keep('large', 995)
      assert.equal((await disk.list('/spool')).length, 1)
      assert.equal(parts.take('large')?.sizeBytes, 995)
    }
    await world.complete(run())
  })
})
