import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { networkIdOf } from '../membership/archive-network.ts'
import { networkNumber } from '../membership/fixtures/networks.ts'
import type { Role } from '../membership/role.ts'
import { RoleHistory } from './role-history.ts'
import { type RoleAct, type RoleStatement, readRoleStatement, writeRoleStatement } from './role-statement.ts'
import { StatementCheck } from './statement-check.ts'

const { network, seed } = networkNumber(1)
const founder = { networkId: networkIdOf(network), seed }
const check = new StatementCheck(network)

interface Said {
  readonly author: string
  readonly value: Uint8Array
  readonly id: string
}

/** What somebody knows, and says after it. */
class Book {
  readonly said: Said[]

  constructor(said: readonly Said[] = []) {
    this.said = [...said]
  }

  get history(): RoleHistory {
    const checked = this.said.map(({ author, value }) => check.check({ peer: author, value }))
    return new RoleHistory(checked.filter((each) => each !== undefined))
  }

  copy(): Book {
    return new Book(this.said)
  }

  merge(...others: Book[]): Book {
    return new Book([...this.said, ...others.flatMap(({ said }) => said)])
  }

  /** By the network's key where nobody is named. */
  say(author: string | undefined, what: RoleAct): string {
    const { history } = this
    const by = author === undefined ? undefined : history.grantOf(author, 'admin')
    return this.add(author, what, { after: history.heads(), by })
  }

  add(
    author: string | undefined,
    what: RoleAct,
    place: { after: string[]; by?: string | undefined },
  ): string {
    const value = writeRoleStatement({ ...place, atMs: 0, what }, author === undefined ? founder : undefined)
    const { id } = readRoleStatement(author ?? 'home', value) as RoleStatement
    this.said.push({ author: author ?? 'home', value, id })
    return id
  }

  grant(
    author: string | undefined,
    peer: string,
    role: Role,
    sites: string[] = [],
    keeps: string[] = [],
  ): string {
    return this.say(author, { act: 'grant', peer, role, sites, keeps, reason: '' })
  }

  revoke(author: string | undefined, peer: string, keeps: string[] = []): string {
    return this.say(author, { act: 'revoke', peer, keeps, reason: '' })
  }

  approve(author: string, statement: string): string {
    return this.say(author, { act: 'approve', statement })
  }

  role(peer: string): string | undefined {
    const role = this.history.roleOf(peer)
    return typeof role === 'object' ? role.role : role
  }
}

function begun(...admins: string[]): Book {
  const book = new Book()
  book.say(undefined, { act: 'begin', keeps: [] })
  for (const admin of admins) book.grant(undefined, admin, 'admin')
  return book
}

const word = (letter: string) => letter.repeat(22)

describe('roles', () => {
  test('are given by the network’s key and by administrators, and by nobody else', () => {
    const book = begun('a')
    book.grant('a', 'c', 'curator', ['a.test'])
    book.grant('a', 'b', 'admin')
    book.grant('b', 'm', 'member')
    assert.deepEqual(
      ['a', 'b', 'c', 'm', 'x'].map((peer) => book.role(peer)),
      ['admin', 'admin', 'curator', 'member', undefined],
    )
    const { history } = book
    const place = { after: history.heads(), by: history.grantOf('c', 'curator') }
    book.add('c', { act: 'grant', peer: 'x', role: 'admin', sites: [], keeps: [], reason: '' }, place)
    book.add(
      'x',
      { act: 'grant', peer: 'x', role: 'admin', sites: [], keeps: [], reason: '' },
      { ...place, by: history.grantOf('a', 'admin') },
    )
    assert.equal(book.role('x'), undefined)
  })

  test('are the same in whatever order statements came', () => {
    const book = begun('a', 'b')
    const [left, right] = [book.copy(), book.copy()]
    left.revoke('a', 'm')
    left.grant('a', 'c', 'curator')
    right.grant('b', 'm', 'curator')
    right.grant('b', 'c', 'member')
    for (const merged of [left.merge(right), right.merge(left), new Book(left.merge(right).said.reverse())]) {
      assert.equal(merged.role('m'), 'revoked')
      assert.equal(merged.role('c'), 'member')
    }
  })

  test('come back with a grant that knows of the revocation', () => {
    const book = begun('a')
    book.grant('a', 'm', 'curator')
    book.revoke('a', 'm')
    assert.equal(book.role('m'), 'revoked')
    book.grant('a', 'm', 'member')
    assert.equal(book.role('m'), 'member')
  })

  test('a peer takes the place of another', () => {
    const book = begun('a')
    book.grant('a', 'old', 'curator', ['a.test'])
    book.say('a', {
      act: 'grant',
      peer: 'new',
      role: 'curator',
      sites: ['a.test'],
      replaces: 'old',
      keeps: [],
      reason: '',
    })
    assert.deepEqual([book.role('old'), book.role('new')], ['revoked', 'curator'])
  })
})

describe('who was revoked', () => {
  test('says nothing that counts under an old date: what the revoker did not know is void', () => {
    const book = begun('a', 'b')
    const before = book.copy()
    book.grant('b', 'known', 'curator')
    book.revoke(undefined, 'b')
    before.grant('b', 'unknown', 'curator')
    const merged = book.merge(before)
    assert.deepEqual(
      [merged.role('known'), merged.role('unknown'), merged.role('b')],
      ['curator', undefined, 'revoked'],
    )
  })

  test('cannot undo it by having revoked its revoker before', () => {
    const book = begun('a')
    book.grant('a', 'b', 'admin')
    const before = book.copy()
    book.revoke('a', 'b')
    before.revoke('b', 'a')
    const merged = book.merge(before)
    assert.deepEqual([merged.role('a'), merged.role('b')], ['admin', 'revoked'])
  })

  // Of two statements that did not know of each other one sorts first, by chance: with many, each way comes up.
  test.each(['curator', undefined] as const)(
    'by itself cannot take that back under an old date (now: %s)',
    (left) => {
      for (let number = 0; number < 20; number++) {
        const book = begun('a')
        const before = book.copy()
        if (left === undefined) book.revoke('a', 'a')
        else book.grant('a', 'a', left)
        const heir = number % 2 === 0 ? { peer: 'a' } : { peer: 'b', replaces: 'a' }
        before.say('a', { act: 'grant', ...heir, role: 'admin', sites: [], keeps: [], reason: `${number}` })
        const merged = book.merge(before)
        assert.deepEqual([merged.role('a'), merged.role('b')], [left ?? 'revoked', undefined])
      }
    },
  )

  test('has no second life by saying again what the network’s key once said', () => {
    const book = begun('a')
    const { value, id } = book.said.at(-1)!
    book.revoke(undefined, 'a')
    book.said.push({ author: 'a', value, id })
    assert.equal(book.role('a'), 'revoked')
    const revocation = book.said.at(-2)!
    book.grant(undefined, 'a', 'admin')
    book.said.push({ ...revocation, author: 'x' })
    assert.equal(book.role('a'), 'admin')
  })
})

describe('administrators', () => {
  test('of one level remove each other by two signatures, not by one', () => {
    const book = begun('a', 'b', 'c')
    const removal = book.revoke('a', 'b')
    assert.equal(book.role('b'), 'admin')
    assert.equal(book.history.standingOf(removal), 'pending')
    book.approve('b', removal)
    assert.equal(book.role('b'), 'admin', 'its own word does not count')
    book.approve('c', removal)
    assert.deepEqual([book.role('b'), book.history.standingOf(removal)], ['revoked', 'counts'])
  })

  test('that remove each other in two parts of a network: the removal with more signatures counts', () => {
    const book = begun('a', 'b', 'c', 'd', 'e')
    const [left, right] = [book.copy(), book.copy()]
    const byThree = left.revoke('a', 'd')
    left.approve('b', byThree)
    left.approve('c', byThree)
    const byTwo = right.revoke('d', 'a')
    right.approve('e', byTwo)
    for (const merged of [left.merge(right), right.merge(left)]) {
      assert.deepEqual([merged.role('a'), merged.role('d')], ['admin', 'revoked'])
    }
  })

  test('are named by as many as the threshold says, and nobody gets round it by not knowing', () => {
    const book = begun('a', 'b')
    const before = book.copy()
    book.say(undefined, { act: 'settings', threshold: 2 })
    const naming = book.grant('a', 'x', 'admin')
    assert.deepEqual([book.role('x'), book.history.standingOf(naming)], [undefined, 'pending'])
    before.grant('a', 'y', 'admin')
    assert.equal(book.merge(before).role('y'), undefined)
    book.approve('b', naming)
    assert.equal(book.role('x'), 'admin')
  })

  test('named before the threshold was raised stay so', () => {
    const book = begun('a', 'b')
    book.grant('a', 'x', 'admin')
    book.say(undefined, { act: 'settings', threshold: 2 })
    assert.equal(book.role('x'), 'admin')
  })

  test('set what holds for the network; of settings in two parts the stricter count', () => {
    const book = begun('a', 'b')
    const [left, right] = [book.copy(), book.copy()]
    left.say('a', { act: 'settings', takedownSignatures: 2, jobPagesMax: 500 })
    right.say('b', { act: 'settings', takedownDelayMs: 1_000, jobPagesMax: 100 })
    const merged = left.merge(right)
    assert.deepEqual(merged.history.settings, {
      threshold: 1,
      takedownSignatures: 2,
      takedownDelayMs: 1_000,
      jobPagesMax: 100,
    })
    merged.say('a', { act: 'settings', takedownSignatures: 1, jobPagesMax: 0, threshold: 5 })
    assert.deepEqual(
      merged.history.settings,
      { threshold: 1, takedownSignatures: 2, takedownDelayMs: 1_000, jobPagesMax: 100 },
      'a threshold is not theirs',
    )
    merged.say('a', { act: 'settings', takedownSignatures: 1, jobPagesMax: 0 })
    assert.deepEqual(merged.history.settings, {
      threshold: 1,
      takedownSignatures: 1,
      takedownDelayMs: 1_000,
      jobPagesMax: 0,
    })
  })
})

describe('an announcement counts', () => {
  const by = (book: Book, author: string, site?: string) => book.history.grantOf(author, 'curator', site)

  test('by a grant for its site, and after its author’s role has ended only where that was said', () => {
    const book = begun('a')
    book.grant('a', 'c', 'curator', ['a.test'])
    const grant = by(book, 'c', 'a.test')
    assert.equal(by(book, 'c', 'b.test'), undefined)
    const said = (letter: string) => ({ id: word(letter), author: 'c', by: grant })
    assert.equal(book.history.counts(said('x'), 'curator', 'a.test'), true)
    assert.equal(book.history.counts(said('x'), 'curator', 'b.test'), false)
    assert.equal(book.history.counts({ ...said('x'), author: 'd' }, 'curator', 'a.test'), false)
    book.revoke('a', 'c', [word('x')])
    assert.equal(book.history.counts(said('x'), 'curator', 'a.test'), true)
    assert.equal(book.history.counts(said('y'), 'curator', 'a.test'), false)
    book.grant('a', 'c', 'curator')
    assert.equal(book.history.counts(said('y'), 'curator', 'a.test'), false, 'what it said meanwhile')
  })

  test('still when its author got a higher role', () => {
    const book = begun('a')
    book.grant('a', 'c', 'curator', ['a.test'])
    const said = { id: word('x'), author: 'c', by: by(book, 'c') }
    book.grant('a', 'c', 'admin')
    assert.equal(book.history.counts(said, 'curator', 'a.test'), true)
  })

  test('from before there were roles, where the history began with it', () => {
    const book = new Book()
    book.say(undefined, { act: 'begin', keeps: [word('x')] })
    const said = (letter: string) => ({ id: word(letter), author: 'm', by: undefined })
    assert.equal(book.history.counts(said('x'), 'curator', 'a.test'), true)
    assert.equal(book.history.counts(said('y'), 'curator', 'a.test'), false)
  })

  test('no more once a higher role has overruled it', () => {
    const book = begun('a', 'b')
    book.grant('a', 'c', 'curator')
    const curators = { id: word('x'), author: 'c', by: by(book, 'c') }
    const admins = { id: word('y'), author: 'b', by: by(book, 'b') }
    const overruling = book.say('a', { act: 'overrule', ids: [word('x'), word('y')], reason: '' })
    assert.equal(book.history.counts(curators, 'curator', 'a.test'), false)
    assert.equal(book.history.counts(admins, 'curator', 'a.test'), true)
    book.grant(undefined, 'd', 'admin')
    book.approve('d', overruling)
    assert.equal(book.history.counts(admins, 'curator', 'a.test'), false)
  })
})

test('a statement with a wrong signature of the network’s key does not keep the same one with the right signature out', () => {
  const said = {
    after: [],
    atMs: 0,
    what: { act: 'grant', peer: 'a', role: 'admin', sites: [], keeps: [], reason: '' },
  } as const
  const stranger = { ...founder, seed: networkNumber(2).seed }
  const checking = new StatementCheck(network)
  const rightOf = (signing: typeof founder) =>
    checking.check({ peer: 'm', value: writeRoleStatement(said as never, signing) })?.right
  assert.equal(rightOf(stranger), undefined)
  assert.equal(rightOf(founder), 'founder')
  assert.equal(rightOf(stranger), undefined)
})
