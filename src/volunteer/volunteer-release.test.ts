// A volunteer hears from any peer which version its network runs, and believes the network's key alone.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { AddressGuard } from '../crawl/address/address-guard.ts'
import { networkNumber } from '../network/membership/fixtures/networks.ts'
import { isOfNetwork, type Release, signRelease, writeRelease } from '../network/releases/release.ts'
import {
  type VolunteerAnswer,
  volunteerAnswer,
  volunteerQuestion,
} from '../network/volunteers/volunteer-messages.ts'
import { CallServices } from '../platform/calls/call-services.ts'
import { Calls } from '../platform/calls/calls.ts'
import type { Web } from '../platform/network/web.ts'
import { simulatedWorld } from '../platform/simulated/world.ts'
import { SigningKey } from '../proof/ed25519.ts'
import { Volunteer } from './volunteer.ts'

const { network, seed } = networkNumber(1)
const stranger = networkNumber(2)
const integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`
const tellMs = 61_000

/** What a volunteer of version 1.0.0 hears from a peer that says these, one after the other. */
async function heardOf(said: readonly (Uint8Array | undefined)[]): Promise<string[]> {
  const world = simulatedWorld({ seed: 1 })
  const left = [...said]
  const heard: string[] = []
  const peer = world.machine('peer')
  const answers = new CallServices(new Calls(peer)).service('volunteers')
  const answerTo = (kind: string): VolunteerAnswer => {
    if (kind === 'release') return { kind: 'released', release: left.shift() }
    if (kind !== 'tell') return { kind: 'none', retryMs: 10_000 }
    const figures = { fetched: 0, bytes: 0, score: 1, state: 'new', rank: 1, of: 1, program: 'x' } as const
    return { kind: 'told', leaders: [], ...figures }
  }
  answers.answer((_from, bytes) => volunteerAnswer.encode(answerTo(volunteerQuestion.decode(bytes).kind)))
  const { clock, random, network: wire } = world.machine('volunteer')
  const volunteer = new Volunteer(
    {
      ...{ clock, random, key: new SigningKey(Buffer.alloc(32, 1)), guard: new AddressGuard([]) },
      ...{ program: 'polyhistor/1.0.0', web: {} as Web },
      calls: new CallServices(new Calls({ network: wire, clock, random })).service('volunteers'),
      isOfNetwork: (release: Release) => isOfNetwork(release, network),
      released: ({ version }) => heard.push(version),
      ...{ learn: () => {}, ready: async () => {}, sending: async () => {}, tell: () => {} },
      ...{ pauseReason: () => undefined, partBytes: () => 1_000 },
    },
    { bundlesMax: 1 },
  )
  wire.learn('peer', peer.network.addresses())
  volunteer.meet('peer')
  await world.advance(tellMs * (said.length + 1))
  assert.equal(left.length, 0, 'all was asked for')
  assert.equal(volunteer.release?.version, heard.at(-1))
  await world.complete(volunteer.close())
  return heard
}

const signed = (version: string) => writeRelease(signRelease(network, seed, { version, integrity }))

test('a later version is heard of once, and another only when it is later still', async () => {
  assert.deepEqual(await heardOf([undefined, signed('1.0.1'), signed('1.0.1')]), ['1.0.1'])
  assert.deepEqual(await heardOf([signed('1.2.0'), signed('1.1.0'), signed('1.3.0')]), ['1.2.0', '1.3.0'])
})

test('the own version, an earlier one, and what another key has signed are no news', async () => {
  const forged = writeRelease(signRelease(network, stranger.seed, { version: '9.0.0', integrity }))
  assert.deepEqual(await heardOf([signed('1.0.0'), signed('0.9.9'), forged, Buffer.from('nothing')]), [])
})
