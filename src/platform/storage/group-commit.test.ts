import assert from 'node:assert/strict'
import { test } from 'vitest'
import { GroupCommit } from './group-commit.ts'

test('what comes while something is written is written together, in order, and each hears of its own', async () => {
  const groups: number[][] = []
  const ends: (() => void)[] = []
  const commits = new GroupCommit<number>((items) => {
    groups.push([...items])
    if (items.includes(4)) return Promise.reject(new Error('full'))
    return new Promise((resolve) => ends.push(resolve))
  }, 4)
  const first = commits.commit([1])
  await new Promise((resolve) => setImmediate(resolve))
  const rest = [commits.commit([2]), commits.commit([3, 4]), commits.commit([5, 6]), commits.commit([7])]
  const results = Promise.allSettled(rest)
  assert.deepEqual(groups, [[1]])
  ends.shift()!()
  await first
  await new Promise((resolve) => setImmediate(resolve))
  ends.shift()!()
  const states = (await results).map(({ status }) => status)
  assert.deepEqual(groups, [[1], [2, 3, 4], [5, 6, 7]])
  assert.deepEqual(states, ['rejected', 'rejected', 'fulfilled', 'fulfilled'])
})

class Commits {
  readonly begun: PromiseWithResolvers<void>[] = []
  readonly shared = new GroupCommit(() => {
    const commit = Promise.withResolvers<void>()
    this.begun.push(commit)
    return commit.promise
  })
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('those who come while a commit is under way share the next', async () => {
  const { shared, begun } = new Commits()
  const ended: string[] = []
  const wait = (name: string) => shared.commit().then(() => ended.push(name))
  const all = [wait('first'), wait('with it')]
  await turn()
  assert.equal(begun.length, 1)
  all.push(wait('later'), wait('later too'))
  await turn()
  assert.equal(begun.length, 1)
  begun[0]!.resolve()
  await turn()
  assert.deepEqual(ended, ['first', 'with it'])
  assert.equal(begun.length, 2)
  begun[1]!.resolve()
  await Promise.all(all)
  assert.deepEqual(ended, ['first', 'with it', 'later', 'later too'])
})

test('a commit that fails fails those who waited for it, and no others', async () => {
  const { shared, begun } = new Commits()
  const first = shared.commit()
  await turn()
  const second = shared.commit()
  begun[0]!.reject(new Error('no room'))
  await assert.rejects(first, /no room/)
  await turn()
  begun[1]!.resolve()
  await second
})
