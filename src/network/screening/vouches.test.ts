import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Announcement } from '../announcements/announcement.ts'
import { networkNumber, peerNumber, randomNumber } from '../membership/fixtures/networks.ts'
import { type Invitation, invite, readInvitation, writeInvitation } from '../membership/invitation.ts'
import { MemberDirectory } from '../membership/member-directory.ts'
import { join } from '../membership/membership.ts'
import type { NamedRole } from '../membership/role.ts'
import { vouchKind, vouchValue } from './vouch-announcement.ts'
import { Vouches } from './vouches.ts'

const { network, seed } = networkNumber(1)
const random = randomNumber(1)
const dayMs = 86_400_000

/** Announcements as one peer holds them: the latest word of each author on each peer. */
class Book {
  readonly #words = new Map<string, Announcement>()
  readonly #listeners = new Set<(announcement: Announcement) => void>()

  say(author: PeerId, peer: PeerId, isSo = true): void {
    const { kind } = vouchKind
    const word = {
      kind,
      name: peer,
      version: 1,
      peer: author,
      value: vouchValue(isSo),
      signature: Buffer.of(),
    }
    assert.equal(vouchKind.fault(word), undefined)
    this.#words.set(`${author} ${peer}`, word)
    for (const listener of this.#listeners) listener(word)
  }

  all = (): Announcement[] => [...this.#words.values()]
  named = (_kind: string, name: string): Announcement[] => this.all().filter((word) => word.name === name)
  get = (): undefined => undefined
  put = async (): Promise<void> => {}
  onChange = (listener: (announcement: Announcement) => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

interface World {
  readonly members: MemberDirectory
  readonly book: Book
  readonly vouches: Vouches
  /** What was said of roles since. */
  readonly said: Map<PeerId, NamedRole | 'revoked'>
  come(invitation: Invitation, ticket?: number): Promise<PeerId>
}

function world(): World {
  const members = new MemberDirectory({ clock: { nowMs: () => 1_000 } as Clock }, network)
  const said = new Map<PeerId, NamedRole | 'revoked'>()
  members.followRoles({ roleOf: (peer) => said.get(peer), isShut: () => false })
  const book = new Book()
  const vouches = new Vouches({ announcements: book, members, self: 'nobody' })
  let number = 0
  const come = async (invitation: Invitation, ticket = 0): Promise<PeerId> => {
    const { peer } = await peerNumber(++number)
    members.greet(join(invitation, peer, ticket)!)
    return peer
  }
  return { members, book, vouches, said, come }
}

const trusted = () => invite(network, seed, random, { uses: 8 })
const screened = (uses = 8) => invite(network, seed, random, { uses, probationMs: dayMs })

describe('an invitation with a probation', () => {
  test('is read as it was written, and cannot be made one without', () => {
    const invitation = screened()
    const text = writeInvitation(invitation)
    assert.equal(readInvitation(text).admission!.grant.probationMs, dayMs)
    const fields = JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString())
    for (const probationMs of [undefined, 1, dayMs - 1]) {
      const forged = { ...fields, grant: { ...fields.grant, probationMs } }
      const forgedText = `polyhistor-invitation-1.${Buffer.from(JSON.stringify(forged)).toString('base64url')}`
      assert.throws(() => readInvitation(forgedText), { code: 'network-invitation-malformed' })
    }
  })

  test('gives no place on the ring, and everything else that a member may', async () => {
    const { members, come } = world()
    const newcomer = await come(screened())
    assert.equal(members.isBarred(newcomer), true)
    assert.equal(members.isOnProbation(newcomer), true)
    assert.equal(members.roleOf(newcomer), 'member')
    assert.equal(members.isBarred(await come(trusted())), false)
  })

  test('counts for nothing once an administrator has said what the peer is', async () => {
    const { members, said, come } = world()
    const newcomer = await come(screened())
    said.set(newcomer, { role: 'member', sites: [] })
    assert.equal(members.isBarred(newcomer), false)
    said.set(newcomer, 'revoked')
    assert.equal(members.isBarred(newcomer), true)
  })
})

describe('places', () => {
  test('are had by two words of members that have places, and lost when one is taken back', async () => {
    const { members, book, vouches, come } = world()
    const shared = trusted()
    const [a, b] = [await come(shared, 0), await come(shared, 1)]
    const newcomer = await come(screened())
    let changes = 0
    vouches.onChange(() => changes++)
    book.say(a, newcomer)
    assert.equal(members.isBarred(newcomer), true)
    book.say(b, newcomer)
    assert.equal(members.isBarred(newcomer), false)
    assert.deepEqual(vouches.placed(), [newcomer])
    assert.deepEqual(vouches.vouchersOf(newcomer).sort(), [a, b].sort())
    book.say(b, newcomer, false)
    assert.equal(members.isBarred(newcomer), true)
    assert.equal(changes, 3)
  })

  test('are not had by words of newcomers for each other, however many', async () => {
    const { members, book, come } = world()
    const newcomers = await Promise.all(
      Array.from({ length: 5 }, async (_, index) => come(screened(), index)),
    )
    for (const author of newcomers) for (const peer of newcomers) if (author !== peer) book.say(author, peer)
    for (const peer of newcomers) assert.equal(members.isBarred(peer), true)
  })

  test('are not had by one member that lies, nor by who came with the same invitation', async () => {
    const { members, book, come } = world()
    const liar = await come(trusted())
    const shared = screened()
    const [first, second] = [await come(shared, 0), await come(shared, 1)]
    book.say(liar, first)
    book.say(liar, second)
    assert.equal(members.isBarred(first), true)
    const honest = await come(trusted())
    book.say(honest, first)
    assert.equal(members.isBarred(first), false)
    // Now the first has places, and vouches for its friend.
    book.say(first, second)
    assert.equal(members.isBarred(second), true)
    const third = await come(screened())
    book.say(liar, third)
    book.say(first, third)
    assert.equal(members.isBarred(third), false)
  })

  test('are not had by words of volunteers, strangers and revoked members, and end with those of who is revoked', async () => {
    const { members, book, vouches, said, come } = world()
    const volunteer = await come(invite(network, seed, random, { role: 'volunteer' }))
    const [a, b] = [await come(trusted()), await come(trusted())]
    const newcomer = await come(screened())
    book.say(volunteer, newcomer)
    book.say('12D3KooWStranger', newcomer)
    book.say(a, newcomer)
    assert.equal(members.isBarred(newcomer), true)
    book.say(b, newcomer)
    assert.equal(members.isBarred(newcomer), false)
    said.set(b, 'revoked')
    vouches.changed()
    assert.equal(members.isBarred(newcomer), true)
  })

  test('stay when those who vouched are gone, and newcomers that are left alone take each other for placed', async () => {
    const { members, book, vouches, come } = world()
    const [a, b] = [await come(trusted()), await come(trusted())]
    const [old, young] = [await come(screened()), await come(screened())]
    book.say(a, old)
    book.say(b, old)
    assert.equal(members.isBarred(old), false)
    assert.equal(members.isBarred(young), true)
    vouches.suspend(true)
    assert.equal(members.isBarred(young), false)
    assert.deepEqual(vouches.placed(), [old])
    vouches.suspend(false)
    assert.equal(members.isBarred(young), true)
  })
})

test('a word is of one author, for somebody else, and yes or no', () => {
  const word = { kind: 'vouch', name: 'a', version: 1, peer: 'b', value: vouchValue(true) }
  assert.equal(vouchKind.fault(word), undefined)
  assert.notEqual(vouchKind.slot!(word), vouchKind.slot!({ ...word, peer: 'c' }))
  for (const bad of [
    { name: 'b' },
    { name: '' },
    { value: Buffer.of(2) },
    { value: Buffer.of() },
    { name: 'a\nb' },
  ])
    assert.notEqual(vouchKind.fault({ ...word, ...bad }), undefined, JSON.stringify(bad))
})
