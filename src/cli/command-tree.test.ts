import assert from 'node:assert/strict'
import { Command } from 'commander'
import { test } from 'vitest'
import { addCommands } from './command-tree.ts'

async function namesFor(asked: string | undefined): Promise<string[]> {
  const program = new Command()
  await addCommands(program, () => async () => undefined, asked)
  return program.commands.map((command) => command.name())
}

test('who asks for a command that needs no archive waits for no other; all are there for whoever asks for another, or for help', async () => {
  const first = await namesFor('url')
  assert(first.includes('url') && !first.includes('crawl'))
  for (const asked of ['crawl', 'crwl', '--help', undefined]) {
    const all = await namesFor(asked)
    assert(all.includes('crawl'), asked ?? 'no word')
    assert.deepEqual(all.slice(0, first.length), first)
    assert.equal(new Set(all).size, all.length)
  }
})
