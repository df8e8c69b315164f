import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Watermark } from './watermark.ts'

const sources = (...progress: number[]) =>
  new Map(progress.map((stamp, index) => [`peer ${index}`, { progress: stamp }]))

/** All answer in the round under way. */
function answerAll(mark: Watermark, count: number): void {
  const { round } = mark
  for (let index = 0; index < count; index++) mark.answered(`peer ${index}`, round)
}

test('goes on to what had come at the end of the first of two quiet rounds, from the slowest', () => {
  const mark = new Watermark(10)
  answerAll(mark, 2)
  mark.advance(sources(100, 90), 1_000)
  assert.equal(mark.stamp, 10)
  answerAll(mark, 2)
  mark.advance(sources(300, 200), 1_000)
  assert.equal(mark.stamp, 90)
  answerAll(mark, 2)
  mark.advance(sources(300, 200), 1_000)
  assert.equal(mark.stamp, 200)
})

test('stands still while one has not answered, and after a disturbance until two rounds are quiet again', () => {
  const mark = new Watermark(0)
  answerAll(mark, 2)
  mark.advance(sources(100, 100), 1_000)
  answerAll(mark, 1)
  mark.advance(sources(100, 100), 1_000)
  assert.equal(mark.stamp, 0)
  mark.disturb()
  answerAll(mark, 2)
  mark.advance(sources(200, 200), 1_000)
  assert.equal(mark.stamp, 0, 'what came before the disturbance counts for nothing')
  answerAll(mark, 2)
  mark.advance(sources(300, 300), 1_000)
  assert.equal(mark.stamp, 200)
})

test('an answer to a question of an earlier round does not count', () => {
  const mark = new Watermark(0)
  const { round } = mark
  mark.disturb()
  mark.answered('peer 0', round)
  mark.advance(sources(100), 1_000)
  answerAll(mark, 1)
  mark.advance(sources(100), 1_000)
  assert.equal(mark.stamp, 0)
})
