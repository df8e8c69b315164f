import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import type { RingKey } from '../../model/ring-key.ts'
import { properties } from './arcs.fuzz.ts'
import { Arcs } from './arcs.ts'

const key = (digit: string): RingKey => digit.repeat(40) as RingKey

describe('arcs', () => {
  testProperties(properties, 500)

  test('what was learned longest ago makes way', () => {
    const arcs = new Arcs(2)
    arcs.addFrom(key('1'), 'a', key('2'))
    arcs.addFrom(key('3'), 'b', key('4'))
    arcs.addFrom(key('5'), 'c', key('6'))
    assert.equal(arcs.size, 2)
    assert.equal(arcs.at(key('1')), undefined)
    assert.equal(arcs.at(key('5'))?.peer, 'c')
  })

  test('after a key that nobody is known for comes the next arc', () => {
    const arcs = new Arcs(10)
    arcs.addAfter(key('2'), 'a', key('4'))
    arcs.addFrom(key('8'), 'b', key('9'))
    assert.equal(arcs.startAfter(key('1')), `${key('2')}0`)
    assert.equal(arcs.startAfter(key('3')), key('8'))
    assert.equal(arcs.startAfter(key('9')), undefined)
  })

  test('what an owner said of itself stands when its predecessor says the same, and falls when it says otherwise', () => {
    const arcs = new Arcs(10)
    const isConfirmed = (digit: string): boolean | undefined => arcs.at(key(digit))?.isConfirmed
    arcs.addAfter(key('2'), 'a', key('4'))
    arcs.addAfter(key('c'), 'b', key('1'))
    arcs.addNext(key('2'), 'a', key('4'))
    arcs.addNext(key('c'), 'b', key('1'))
    assert.deepEqual(['3', 'd', '0'].map(isConfirmed), [true, true, true])
    // Somebody has come in between.
    arcs.addNext(key('3'), 'a', key('4'))
    arcs.addNext(key('e'), 'c', key('1'))
    assert.deepEqual(['4', 'f', '0'].map(isConfirmed), [false, false, false])
  })

  test('one key forgotten is the whole arc forgotten', () => {
    const arcs = new Arcs(10)
    arcs.addAfter(key('2'), 'a', key('4'))
    arcs.forgetKey(key('3'))
    assert.equal(arcs.at(key('4')), undefined)
  })
})
