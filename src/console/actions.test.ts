import assert from 'node:assert/strict'
import { test } from 'vitest'
import { HomeRules } from '../app/crawl/home-rules.ts'
import { Frontier } from '../crawl/frontier/frontier.ts'
import { PolyhistorError } from '../errors.ts'
import type { JobService } from '../model/jobs/job-service.ts'
import { simulatedWorld } from '../platform/simulated/world.ts'
import { ActionLog } from './action-log.ts'
import { readAction } from './action-request.ts'
import { Actions, type TakenDown } from './actions.ts'
import { noControl } from './peer-control.ts'
import type { RoleChanges } from './role-actions.ts'

const actor = { by: 'browser', from: '127.0.0.1' } as const

async function opened({ isAlone, ...limits }: { recordsMax?: number; isAlone?: boolean } = {}) {
  const world = simulatedWorld({ seed: 1 })
  const { keyValues, clock, random } = world.machine('a')
  const openMap = (path: string) => world.complete(keyValues.open(path))
  const frontier = new Frontier({ keyValue: await openMap('/frontier'), clock, random })
  const rules = new HomeRules({ frontier })
  const begun: string[] = []
  const cancelled: string[] = []
  const hidden = new Set<string>()
  const placed = new Map<string, string>()
  const members = new Map<string, NonNullable<ReturnType<RoleChanges['roleOf']>['role']> | null>([
    ['one', { role: 'member', sites: [] }],
    ['two', { role: 'curator', sites: ['a.example'] }],
  ])
  const nameOf = (target: TakenDown) => (target.kind === 'site' ? target.site : target.url)
  const map = await openMap('/console')
  const log = new ActionLog(map, limits)
  const actions = new Actions({
    ...{ clock, log, rules, peer: noControl },
    jobs: {
      start: ({ seeds, scope }) => {
        begun.push(`${scope} ${seeds[0]}`)
        return { id: `job${begun.length}` } as ReturnType<JobService['start']>
      },
      cancel: (id) => {
        cancelled.push(id)
        return {} as ReturnType<JobService['cancel']>
      },
    },
    takedowns: {
      takedown: async (target) => ({ captures: hidden.add(nameOf(target)).size }),
      release: async (target) => ({ captures: Number(hidden.delete(nameOf(target))) }),
    },
    upkeep: { start: () => {} },
    roles: () =>
      isAlone
        ? undefined
        : {
            roleOf: (peer) => ({ peer, role: members.get(peer) ?? null }),
            grant: async (peer, role, sites) => {
              // As it is where two administrators have to agree on another one.
              if (role === 'admin') return 'pending'
              members.set(peer, { role, sites })
              return 'counts'
            },
            revoke: async (peer) => {
              members.set(peer, null)
              return 'counts'
            },
            approve: async () => 'counts',
          },
    placements: isAlone
      ? undefined
      : {
          get: (site) => {
            const peer = placed.get(site)
            return peer === undefined ? undefined : { peer }
          },
          set: async (site, peer) => {
            if (peer === undefined) placed.delete(site)
            else placed.set(site, peer)
          },
        },
  })
  const act = (written: Record<string, string>) =>
    world.complete(actions.carryOut(readAction(written), actor))
  const undo = (id: number) => world.complete(actions.undo(id, actor))
  const access = (site: string) =>
    rules.list().find(({ target }) => target.kind === 'site' && target.site === site)?.access
  return { world, map, actions, act, undo, access, rules, begun, cancelled, hidden, placed, members, log }
}

function refusal(code: string) {
  return (error: unknown) => error instanceof PolyhistorError && error.code === code
}

test('what was done is undone: rules say what they said before, crawls end, takedowns are released', async () => {
  const { act, undo, access, rules, begun, cancelled, hidden, actions } = await opened()
  const site = 'example.org'
  await act({ action: 'revisit-every', site, every: '1d' })
  const paused = await act({ action: 'pause', site })
  assert.equal(access(site), 'pause')
  await undo(paused.id)
  assert.equal(access(site), undefined)
  // What the action did not touch stays.
  assert.notEqual(rules.list()[0]?.fresh, undefined)
  const reseeded = await act({ action: 'reseed', site })
  assert.deepEqual(begun, ['site http://example.org/'])
  await undo(reseeded.id)
  assert.deepEqual(cancelled, ['job1'])
  const down = await act({ action: 'take-down', url: 'http://example.org/a', reason: 'asked for' })
  assert.equal(hidden.size, 1)
  await undo(down.id)
  assert.equal(hidden.size, 0)
  const kinds = actions.list(100).map(({ kind, outcome }) => `${kind} ${outcome}`)
  assert.deepEqual(kinds, [
    'undo done',
    'take-down done',
    'undo done',
    'reseed done',
    'undo done',
    'pause done',
    'revisit-every done',
  ])
})

test('an action is undone once, and not when somebody changed the same since', async () => {
  const { act, undo, access } = await opened()
  const denied = await act({ action: 'deny', site: 'example.org' })
  await act({ action: 'allow', site: 'example.org' })
  await assert.rejects(() => undo(denied.id), refusal('action-superseded'))
  assert.equal(access('example.org'), 'allow')
  const paused = await act({ action: 'pause', site: 'example.net' })
  await undo(paused.id)
  await assert.rejects(() => undo(paused.id), refusal('action-not-undoable'))
  await assert.rejects(() => undo(999), refusal('action-unknown'))
})

test('a site is moved to another peer, and back; not back once somebody moved it again', async () => {
  const { act, undo, placed, actions } = await opened()
  const site = 'example.org'
  const moved = await act({ action: 'move', site, peer: 'one' })
  assert.equal(placed.get(site), 'one')
  const again = await act({ action: 'move', site, peer: 'two' })
  await assert.rejects(() => undo(moved.id), refusal('action-superseded'))
  await undo(again.id)
  assert.equal(placed.get(site), 'one')
  const left = await act({ action: 'move', site })
  assert.equal(placed.get(site), undefined)
  await undo(left.id)
  assert.equal(placed.get(site), 'one')
  await assert.rejects(
    () => act({ action: 'move', url: 'https://example.org/' }),
    refusal('action-malformed'),
  )
  assert.equal(actions.list(1)[0]!.outcome, 'failed')
})

test('roles are given and taken back, with the sites that a curator had; not once somebody changed them again', async () => {
  const { act, undo, members, actions } = await opened()
  const named = await act({ action: 'grant', peer: 'one', role: 'curator' })
  assert.deepEqual(members.get('one'), { role: 'curator', sites: [] })
  await undo(named.id)
  assert.deepEqual(members.get('one'), { role: 'member', sites: [] })
  const revoked = await act({ action: 'revoke', peer: 'two', reason: 'by mistake' })
  assert.equal(members.get('two'), null)
  await undo(revoked.id)
  assert.deepEqual(members.get('two'), { role: 'curator', sites: ['a.example'] })
  await act({ action: 'revoke', peer: 'two' })
  const again = await act({ action: 'grant', peer: 'two', role: 'member' })
  await undo(again.id)
  assert.equal(members.get('two'), null)

  const changed = await act({ action: 'revoke', peer: 'one' })
  await act({ action: 'grant', peer: 'one', role: 'volunteer' })
  await assert.rejects(() => undo(changed.id), refusal('action-superseded'))
  assert.deepEqual(members.get('one'), { role: 'volunteer', sites: [] })
  // What does not count yet, and what others waited for, cannot be undone.
  const lasting: Record<string, string>[] = [
    { action: 'grant', peer: 'one', role: 'admin' },
    { action: 'approve', statement: 'abc' },
  ]
  for (const written of lasting) {
    const { id, outcome } = await act(written)
    assert.equal(outcome, 'done')
    await assert.rejects(() => undo(id), refusal('action-not-undoable'))
  }
  assert.equal(actions.list(1)[0]!.about, 'abc')
})

test('what fails is in the log, and says why: a move where there is one peer; a peer that cannot be restarted', async () => {
  const { act, actions } = await opened({ isAlone: true })
  await assert.rejects(
    () => act({ action: 'move', site: 'example.org', peer: 'x' }),
    refusal('site-not-movable'),
  )
  await assert.rejects(
    () => act({ action: 'grant', peer: 'x', role: 'curator' }),
    refusal('action-malformed'),
  )
  await assert.rejects(() => act({ action: 'restart' }), refusal('action-not-here'))
  const [restart, , move] = actions.list(10)
  assert.deepEqual([restart!.outcome, move!.outcome], ['failed', 'failed'])
  assert.match(move!.message, /one peer/)
})

test('what nobody can have meant is refused before it is begun', async () => {
  const { act, actions } = await opened()
  for (const written of [
    {},
    { action: 'explode' },
    { action: 'pause' },
    { action: 'pause', site: 'a.example', host: 'b.example' },
    { action: 'take-down', site: '' },
    { action: 'revisit-now', url: 'not a url at all:' },
  ])
    await assert.rejects(async () => act(written as Record<string, string>), PolyhistorError)
  assert.deepEqual(actions.list(10), [])
})

test('the log is on disk before the action, survives a restart, and is bounded', async () => {
  const { act, world, map, log } = await opened({ recordsMax: 5 })
  for (let count = 0; count < 9; count++) await act({ action: 'pause', site: `s${count}.example` })
  assert.deepEqual(
    log.list(100).map(({ id }) => id),
    [9, 8, 7, 6, 5],
  )
  assert.deepEqual(
    log.list(2, 8).map(({ id }) => id),
    [7, 6],
  )
  // A record that somebody spoilt is passed over.
  await world.complete(
    map.transaction(() =>
      map.table('actions').put(Buffer.from('000000000007', 'hex'), Buffer.from('{"id":')),
    ),
  )
  const again = new ActionLog(map, { recordsMax: 5 })
  assert.deepEqual(
    again.list(100).map(({ id }) => id),
    [9, 8, 6, 5],
  )
  const next = await world.complete(
    again.append({ ...log.find(9)!, outcome: 'begun', message: 'x'.repeat(10_000) }),
  )
  assert.equal(next.id, 10)
  assert.equal(next.message.length, 2_000)
})
