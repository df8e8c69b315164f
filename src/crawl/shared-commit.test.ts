import assert from 'node:assert/strict'
import { test } from 'vitest'
import { SharedCommit } from './shared-commit.ts'

class Commits {
  readonly begun: PromiseWithResolvers<void>[] = []
  readonly shared = new SharedCommit(() => {
    const commit = Promise.withResolvers<void>()
    this.begun.push(commit)
    return commit.promise
  })
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('those who come while a commit is under way share the next', async () => {
  const { shared, begun } = new Commits()
  const ended: string[] = []
  const wait = (name: string) => shared.wait().then(() => ended.push(name))
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
  const first = shared.wait()
  await turn()
  const second = shared.wait()
  begun[0]!.reject(new Error('no room'))
  await assert.rejects(first, /no room/)
  await turn()
  begun[1]!.resolve()
  await second
})
