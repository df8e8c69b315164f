import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { RingKey } from '../../model/ring-key.ts'
import { simulatedCompressor } from '../../platform/simulated/compressor.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { AcceptedBatches } from './accepted-batches.ts'
import { BatchReceiver } from './batch-receiver.ts'
import { linksToSites } from './fixtures/sample-links.ts'
import { asText } from './forwarded-link.ts'
import { allAccepted } from './link-sink.ts'
import type { Owners } from './owners.ts'
import { noHistory } from './wire/history.ts'
import { encodeLinks } from './wire/link-coding.ts'
import { packBatch } from './wire/packed-batch.ts'

test('a sender that asks for our arc is told the one that its batch begins with, in the order of the ring', async () => {
  const asked: RingKey[] = []
  const owners: Owners = {
    self: 'self',
    isOwner: () => true,
    ownerOf: () => assert.fail(),
    arcOf: (key) => void asked.push(key),
    likelyOwnerOf: () => undefined,
    isPlaceOf: () => true,
    learn: () => {},
  }
  const world = simulatedWorld({ seed: 1 })
  await world.complete(
    (async () => {
      const taken = new AcceptedBatches(await world.machine('a').keyValues.open('/map'))
      const receiving = new BatchReceiver({
        owners,
        take: async () => allAccepted,
        taken,
        clock: world.machine('a').clock,
      })
      const links = linksToSites(20)
      const keys = links.map(({ url }) => url.ringKey)
      const least = keys.toSorted()[0]!
      assert.notEqual(keys[0], least)
      for (const wantsArc of [true, false]) {
        const sections = encodeLinks(links.slice(wantsArc ? 0 : 1).map(asText))
        const batch = await packBatch(simulatedCompressor, sections, { history: noHistory, wantsArc })
        await receiving.answer('sender', batch)
      }
      assert.deepEqual(asked, [least])
    })(),
  )
})
