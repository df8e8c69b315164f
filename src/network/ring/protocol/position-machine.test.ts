// The operations of P. Zave's protocol, one by one.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { at, stateOf } from '../fixtures/contacts.ts'
import type { RingEffect } from './machine-messages.ts'
import { PositionMachine } from './position-machine.ts'
import type { PositionState } from './rules.ts'

const successorsMax = 3

function newMachine(place = 0x10): PositionMachine {
  return new PositionMachine(at(place), { successorsMax })
}

/** A member with this predecessor and these successors. */
function member(place: number, predecessor: number, successors: number[], isWhole = false): PositionMachine {
  const machine = newMachine(place)
  const { serial } = only(machine.handle({ kind: 'enter-after', member: at(predecessor) }), 'ask')
  machine.handle({ kind: 'answered', serial, state: stateOf(0, successors, isWhole) })
  return machine
}

function only<Kind extends RingEffect['kind']>(
  effects: RingEffect[],
  kind: Kind,
): Extract<RingEffect, { kind: Kind }> {
  const found = effects.filter((effect) => effect.kind === kind)
  assert.equal(found.length, 1, `${kind} in ${JSON.stringify(effects)}`)
  return found[0] as Extract<RingEffect, { kind: Kind }>
}

function shown({ predecessor, successors }: PositionState): string {
  const list = successors.entries.map(({ peer }) => peer.slice(5))
  return `${predecessor.peer.slice(5)} < ${list.join(' ')}${successors.isWhole ? ' whole' : ''}`
}

describe('joining', () => {
  test('alone, it is its own ring', () => {
    const machine = newMachine()
    only(machine.handle({ kind: 'create' }), 'joined')
    assert.equal(machine.isAlone, true)
    assert.equal(shown(machine.state), '10 <  whole')
    assert.deepEqual(machine.handle({ kind: 'tick' }), [])
  })

  test('takes the whole list of the member before it', () => {
    assert.equal(shown(member(0x10, 0x08, [0x20, 0x30, 0x40]).state), '8 < 20 30 40')
  })

  test('does not enter after one that does not stand right before it', () => {
    const machine = newMachine()
    const { serial } = only(machine.handle({ kind: 'enter-after', member: at(0x01) }), 'ask')
    const effects = machine.handle({ kind: 'answered', serial, state: stateOf(0, [0x08, 0x20]) })
    only(effects, 'misplaced')
    assert.equal(machine.status, 'joining')
  })

  test('is not a member, nor answers as one, before it has entered', () => {
    const machine = newMachine()
    assert.deepEqual(machine.handle({ kind: 'notified', by: at(0x08) }), [])
    assert.equal(machine.predecessor.place, machine.self.place)
  })
})

describe('stabilising', () => {
  test('follows the successor`s list, and tells it of ourselves', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30, 0x40])
    const { serial, to, notify } = only(machine.handle({ kind: 'tick' }), 'ask')
    assert.equal(to.peer, 'peer-20')
    assert.equal(notify, true)
    const effects = machine.handle({ kind: 'answered', serial, state: stateOf(0x10, [0x38, 0x40, 0x50]) })
    assert.equal(shown(machine.state), '8 < 20 38 40')
    only(effects, 'confirmed')
    assert.equal(only(effects, 'poke').to.peer, 'peer-8')
  })

  test('asks whom the successor names before it takes it in', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30, 0x40])
    const first = only(machine.handle({ kind: 'tick' }), 'ask')
    const second = only(
      machine.handle({ kind: 'answered', serial: first.serial, state: stateOf(0x18, [0x30, 0x40, 0x50]) }),
      'ask',
    )
    assert.equal(second.to.peer, 'peer-18')
    assert.equal(shown(machine.state), '8 < 20 30 40')
    machine.handle({ kind: 'answered', serial: second.serial, state: stateOf(0x10, [0x20, 0x30, 0x40]) })
    assert.equal(shown(machine.state), '8 < 18 20 30')
  })

  test('keeps its list when the one named is dead, and tells the successor', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30, 0x40])
    const first = only(machine.handle({ kind: 'tick' }), 'ask')
    const second = only(
      machine.handle({ kind: 'answered', serial: first.serial, state: stateOf(0x18, [0x30, 0x40]) }),
      'ask',
    )
    const effects = machine.handle({ kind: 'failed', serial: second.serial })
    assert.equal(shown(machine.state), '8 < 20 30 40')
    assert.equal(only(effects, 'notify').to.peer, 'peer-20')
  })

  test('drops a dead successor, and asks the next at once', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30, 0x40])
    const first = only(machine.handle({ kind: 'tick' }), 'ask')
    const next = only(machine.handle({ kind: 'failed', serial: first.serial }), 'ask')
    assert.equal(next.to.peer, 'peer-30')
    assert.equal(next.notify, true)
    assert.equal(shown(machine.state), '8 < 30 40')
  })

  test('with no successor left turns to its predecessor, and is alone only when that is dead too', () => {
    const machine = member(0x10, 0x08, [0x20], true)
    const first = only(machine.handle({ kind: 'tick' }), 'ask')
    const second = only(machine.handle({ kind: 'failed', serial: first.serial }), 'ask')
    assert.equal(second.to.peer, 'peer-8')
    machine.handle({ kind: 'failed', serial: second.serial })
    assert.equal(machine.isAlone, true)
  })

  test('has one operation at a time, and does not heed answers to those before', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30])
    const { serial } = only(machine.handle({ kind: 'tick' }), 'ask')
    assert.deepEqual(machine.handle({ kind: 'tick' }), [])
    machine.handle({ kind: 'failed', serial })
    assert.deepEqual(machine.handle({ kind: 'answered', serial, state: stateOf(0x10, [0x30]) }), [])
  })
})

describe('rectifying', () => {
  test('takes a nearer predecessor at once', () => {
    const machine = member(0x10, 0x08, [0x20])
    const effects = machine.handle({ kind: 'notified', by: at(0x0c) })
    assert.equal(machine.predecessor.peer, 'peer-c')
    assert.equal(only(effects, 'preceded').before.peer, 'peer-8')
    assert.equal(only(effects, 'poke').to.peer, 'peer-8', 'the one before the newcomer is to find it')
  })

  test('takes a farther one only when the predecessor is dead', () => {
    const machine = member(0x10, 0x08, [0x20])
    const ping = only(machine.handle({ kind: 'notified', by: at(0x04) }), 'ping')
    assert.equal(ping.to.peer, 'peer-8')
    machine.handle({ kind: 'pinged', serial: ping.serial, isAlive: true })
    assert.equal(machine.predecessor.peer, 'peer-8')
    const again = only(machine.handle({ kind: 'notified', by: at(0x04) }), 'ping')
    machine.handle({ kind: 'pinged', serial: again.serial, isAlive: false })
    assert.equal(machine.predecessor.peer, 'peer-4')
  })

  test('of two that wait for the same ping the nearer wins', () => {
    const machine = member(0x10, 0x08, [0x20])
    const { serial } = only(machine.handle({ kind: 'notified', by: at(0x02) }), 'ping')
    machine.handle({ kind: 'notified', by: at(0x04) })
    machine.handle({ kind: 'notified', by: at(0x01) })
    machine.handle({ kind: 'pinged', serial, isAlive: false })
    assert.equal(machine.predecessor.peer, 'peer-4')
  })

  test('a predecessor found silent keeps its place until another comes', () => {
    const machine = member(0x10, 0x08, [0x20])
    const { serial } = only(machine.handle({ kind: 'silence' }), 'ping')
    machine.handle({ kind: 'pinged', serial, isAlive: false })
    assert.equal(machine.predecessor.peer, 'peer-8')
    machine.handle({ kind: 'notified', by: at(0x04) })
    assert.equal(machine.predecessor.peer, 'peer-4')
  })
})

describe('while a question is under way', () => {
  test('a tick is not lost, but has its turn after it', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30])
    const { serial } = only(machine.handle({ kind: 'enter-after', member: at(0x0c) }), 'ask')
    assert.deepEqual(machine.handle({ kind: 'tick' }), [])
    assert.equal(only(machine.handle({ kind: 'failed', serial }), 'ask').to.peer, 'peer-20')
  })

  test('a hint is not lost either', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30])
    const { serial } = only(machine.handle({ kind: 'tick' }), 'ask')
    assert.deepEqual(machine.handle({ kind: 'hinted', by: at(0x18) }), [])
    const effects = machine.handle({ kind: 'answered', serial, state: stateOf(0x10, [0x30, 0x40]) })
    assert.equal(only(effects, 'ask').to.peer, 'peer-18')
  })

  test('only a successor is waited for long: a list must not grow old for one that may be dead', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30])
    const asked = only(machine.handle({ kind: 'tick' }), 'ask')
    const between = machine.handle({ kind: 'answered', serial: asked.serial, state: stateOf(0x18, [0x30]) })
    assert.deepEqual([asked.isBrief, only(between, 'ask').isBrief], [false, true])
  })
})

describe('leaving', () => {
  test('tells both neighbours and is no member any more', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30])
    const told = machine.handle({ kind: 'leave' }).filter(({ kind }) => kind === 'farewell')
    assert.deepEqual(
      told.map((effect) => (effect as { to: { peer: string } }).to.peer),
      ['peer-8', 'peer-20'],
    )
    assert.equal(machine.status, 'left')
    assert.deepEqual(machine.handle({ kind: 'tick' }), [])
  })

  test('one that leaves goes from the list, and a farther predecessor may come at once', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30])
    machine.handle({ kind: 'farewell', by: at(0x20) })
    assert.equal(shown(machine.state), '8 < 30')
    machine.handle({ kind: 'farewell', by: at(0x08) })
    machine.handle({ kind: 'notified', by: at(0x04) })
    assert.equal(machine.predecessor.peer, 'peer-4')
  })
})

describe('merging', () => {
  function merge(machine: PositionMachine, before: number, state: PositionState): RingEffect[] {
    const { serial } = only(machine.handle({ kind: 'enter-after', member: at(before) }), 'ask')
    return machine.handle({ kind: 'answered', serial, state })
  }

  test('a small ring joins a larger one', () => {
    const machine = member(0x10, 0x90, [0x90], true)
    const { serial, to } = only(merge(machine, 0x0c, stateOf(0x02, [0x14, 0x18, 0x20])), 'ask')
    assert.deepEqual([to.peer, shown(machine.state)], ['peer-14', 'c < 90 whole'])
    machine.handle({ kind: 'answered', serial, state: stateOf(0x0c, [0x18, 0x20]) })
    assert.equal(shown(machine.state), 'c < 14 18 20')
  })

  test('a successor that lives is not given up for one that the other ring does not know to be dead', () => {
    const machine = member(0x10, 0x90, [0x90], true)
    const { serial } = only(merge(machine, 0x0c, stateOf(0x02, [0x14, 0x18, 0x20])), 'ask')
    machine.handle({ kind: 'failed', serial })
    assert.equal(shown(machine.state), 'c < 90 whole')
  })

  test('one that is alone takes the whole list of whom it comes behind', () => {
    const machine = newMachine()
    machine.handle({ kind: 'create' })
    merge(machine, 0x0c, stateOf(0x02, [0x14, 0x18, 0x20]))
    assert.equal(shown(machine.state), 'c < 14 18 20')
  })

  test('a large ring does not join a peer that is alone, but hints that it should come', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30, 0x40])
    const effects = merge(machine, 0x14, stateOf(0x14, [], true))
    assert.equal(shown(machine.state), '8 < 20 30 40')
    assert.equal(only(effects, 'hint').to.peer, 'peer-14')
  })

  test('nobody gives a nearer successor up for a farther one', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30, 0x40])
    merge(machine, 0x0c, stateOf(0x02, [0x28, 0x38, 0x48]))
    assert.equal(shown(machine.state), '8 < 20 30 40')
  })

  test('a hint is followed when it names a closer successor, on a greater ring; it is asked first', () => {
    const machine = member(0x10, 0x90, [0x90], true)
    const { serial, to } = only(machine.handle({ kind: 'hinted', by: at(0x18) }), 'ask')
    assert.equal(to.peer, 'peer-18')
    assert.equal(shown(machine.state), '90 < 90 whole')
    const effects = machine.handle({ kind: 'answered', serial, state: stateOf(0x14, [0x20, 0x30, 0x40]) })
    assert.equal(shown(machine.state), '90 < 18 20 30')
    assert.equal(only(effects, 'ask').to.peer, 'peer-14', 'and then whom it names between')
  })

  test('a hint is not followed away from the greater ring, to a farther successor, or to a dead one', () => {
    const machine = member(0x10, 0x08, [0x20, 0x30, 0x40])
    const lone = only(machine.handle({ kind: 'hinted', by: at(0x18) }), 'ask')
    machine.handle({ kind: 'answered', serial: lone.serial, state: stateOf(0x18, [], true) })
    assert.deepEqual(machine.handle({ kind: 'hinted', by: at(0x28) }), [])
    const dead = only(machine.handle({ kind: 'hinted', by: at(0x18) }), 'ask')
    assert.deepEqual(machine.handle({ kind: 'failed', serial: dead.serial }), [])
    assert.equal(shown(machine.state), '8 < 20 30 40')
  })
})
