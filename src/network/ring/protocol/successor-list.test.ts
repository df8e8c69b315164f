import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { at, placeAt } from '../fixtures/contacts.ts'
import {
  isOrderly,
  listOfNewcomer,
  listThrough,
  listWithout,
  nobodyElse,
  type SuccessorList,
} from './successor-list.ts'

const listOf = (entries: number[], isWhole = false): SuccessorList => ({ entries: entries.map(at), isWhole })
const shown = ({ entries, isWhole }: SuccessorList): string =>
  entries.map(({ peer }) => peer.slice(5)).join(' ') + (isWhole ? ' whole' : '')

describe('a successor list', () => {
  test('is the first and what follows it, cut to its length', () => {
    assert.equal(shown(listThrough(placeAt(0x10), at(0x20), listOf([0x30, 0x40, 0x50]), 3)), '20 30 40')
  })

  test('ends before ourselves, and is whole then', () => {
    assert.equal(shown(listThrough(placeAt(0x10), at(0x20), listOf([0x30, 0x10]), 16)), '20 30 whole')
    assert.equal(shown(listThrough(placeAt(0x10), at(0x20), listOf([0x30, 0x18]), 16)), '20 30 whole')
    assert.equal(shown(listThrough(placeAt(0x10), at(0x20), listOf([0x10], true), 16)), '20 whole')
  })

  test('is whole for one whom a whole list does not know yet', () => {
    assert.equal(shown(listThrough(placeAt(0x10), at(0x20), listOf([0x30], true), 16)), '20 30 whole')
  })

  test('is not whole when it had to be cut', () => {
    assert.equal(shown(listThrough(placeAt(0x10), at(0x20), listOf([0x30, 0x40], true), 2)), '20 30')
  })

  test('of a newcomer is all of the member`s, and the member itself where that closes the ring', () => {
    assert.equal(shown(listOfNewcomer(placeAt(0x10), at(0x08), listOf([0x20, 0x30, 0x40]), 3)), '20 30 40')
    assert.equal(shown(listOfNewcomer(placeAt(0x10), at(0x08), listOf([0x20], true), 3)), '20 8 whole')
    assert.equal(shown(listOfNewcomer(placeAt(0x10), at(0x08), nobodyElse, 3)), '8 whole')
    // A list that is short because of deaths says nothing about who comes next.
    assert.equal(shown(listOfNewcomer(placeAt(0x10), at(0x08), listOf([0x20]), 3)), '20')
  })

  test('without the dead is shorter, never padded', () => {
    assert.equal(shown(listWithout(listOf([0x20, 0x30]), placeAt(0x20))), '30')
    assert.equal(shown(listWithout(listOf([0x20]), placeAt(0x20))), ' whole')
  })

  test('out of order, with ourselves or with duplicates is known as such', () => {
    assert.equal(isOrderly(placeAt(0x80), listOf([0x90, 0x10, 0x70])), true)
    assert.equal(isOrderly(placeAt(0x80), listOf([0x90, 0x85])), false)
    assert.equal(isOrderly(placeAt(0x80), listOf([0x90, 0x80])), false)
    assert.equal(isOrderly(placeAt(0x80), listOf([0x90, 0x90])), false)
  })
})
