import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { Admission } from './admission.ts'
import type { RingClient } from './lookup/ring-client.ts'
import { placeOf } from './protocol/place.ts'
import type { Contact, PlaceTickets, RingCalls } from './ring.ts'
import { ringOptionsDefault } from './ring-options.ts'
import { TicketExchange } from './ticket-exchange.ts'
import { decodeFind, encodeFind } from './wire/answers.ts'
import type { Question } from './wire/questions.ts'
import { ticketProofs } from './wire/tickets.ts'

const options = { ...ringOptionsDefault, networkId: 'test' }

/** A proof is the salt itself; the salt "forged" does not hold. */
class Tickets implements PlaceTickets {
  readonly salts = new Map<string, string>()

  saltOf(peer: string): string | undefined {
    return this.salts.get(peer)
  }

  proofOf(peer: string): Uint8Array | undefined {
    const salt = this.salts.get(peer)
    return salt === undefined ? undefined : Buffer.from(salt)
  }

  learn(peer: string, proof: Uint8Array): void {
    const salt = Buffer.from(proof).toString()
    if (salt === 'forged') throw new PolyhistorError('network-refused', 'it does not hold')
    this.salts.set(peer, salt)
  }
}

function exchangeWith(theirs: Tickets): {
  exchange: TicketExchange
  ours: Tickets
  asked: (readonly string[])[]
} {
  const ours = new Tickets()
  const asked: (readonly string[])[] = []
  const askPeer = async (_peer: string, _addresses: string[], question: Question) => {
    assert(question.kind === 'tickets')
    asked.push(question.peers)
    return {
      bytes: ticketProofs.encode(question.peers.map((peer) => theirs.proofOf(peer))),
      askedMs: 0,
      askedAtMs: 0,
    }
  }
  const asking = { askPeer } as unknown as RingClient
  const { clock } = simulatedWorld({ seed: 1 }).machine('us')
  const calls = { self: 'us' } as RingCalls
  const admission = new Admission({ calls, clock, tickets: ours }, options)
  return { exchange: new TicketExchange({ asking, admission, tickets: ours }), ours, asked }
}

function answerNaming(...peers: string[]) {
  const nearer = peers.map((peer) => ({ peer, index: 0, address: '/ip4/10.0.0.1/tcp/1' }) as Contact)
  const bytes = encodeFind({ kind: 'ask', likely: [], nearer, before: undefined })
  return { bytes, askedMs: 0, askedAtMs: 0 }
}

describe('an answer that names peers whose tickets are not known', () => {
  test('is read when who gave it shows them, which it is asked for once', async () => {
    const theirs = new Tickets()
    theirs.salts.set('a', 'salt of a').set('b', 'salt of b')
    const { exchange, asked } = exchangeWith(theirs)
    const answer = answerNaming('a', 'b', 'a')
    assert.equal(exchange.readNow(answer, decodeFind), undefined)
    const read = await exchange.fetchAndRead(answer, 'from', decodeFind)
    assert(read.kind === 'ask')
    assert.equal(read.nearer[1]!.place, placeOf('test', 'salt of b', 0))
    assert.deepEqual(asked, [['a', 'b']])
    assert.notEqual(exchange.readNow(answer, decodeFind), undefined)
  })

  test('is refused as a whole when one of them cannot be shown, or does not hold', async () => {
    for (const lie of ['', 'forged']) {
      const theirs = new Tickets()
      theirs.salts.set('a', 'salt of a')
      if (lie !== '') theirs.salts.set('invented', lie)
      const { exchange, ours } = exchangeWith(theirs)
      const reading = exchange.fetchAndRead(answerNaming('a', 'invented'), 'liar', decodeFind)
      await assert.rejects(reading, PolyhistorError)
      assert.equal(ours.saltOf('invented'), undefined)
    }
  })
})
