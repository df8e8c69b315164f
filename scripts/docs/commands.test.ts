// Every command that the documentation shows is one that the program takes, with these options and so many words. `npm run torture -- docs`
// runs them.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { test } from 'vitest'
import { addCommands } from '../../src/cli/command-tree.ts'
import { commandBlocks } from './command-blocks.ts'

const root = join(import.meta.dirname, '../..')
const sources = globSync(['README.md', 'docs/*.md', 'docs/operating/*.md'], { cwd: root }).sort()

/** Takes the command apart as the program does, and does nothing. */
async function parsed(words: readonly string[]): Promise<void> {
  const program = new Command('polyhistor').version('0', '-V, --version')
  for (const option of [
    '--home <dir>',
    '--json',
    '-q, --quiet',
    '-v, --verbose',
    '--peer <url>',
    '--profile <name>',
  ])
    program.option(option)
  program.option('--set <name=value>').exitOverride()
  await addCommands(program, () => async () => undefined, undefined)
  const quiet = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} })
    command.commands.forEach(quiet)
  }
  quiet(program)
  await program.parseAsync(words, { from: 'user' })
}

/** The words of each command of ours in a line of a shell. */
function commandsIn(line: string): string[][] {
  const tokens = line.match(/"[^"]*"|'[^']*'|\|\||[;|]|[^\s;|]+/g) ?? []
  const found: string[][] = []
  let words: string[] | undefined
  let isFirst = true
  for (const token of tokens) {
    if (token.startsWith('#')) break
    const isEnd = token === ';' || token === '|' || token === '||'
    if (isEnd) words = undefined
    else if (isFirst && /^(?:bin\/)?polyhistor$/.test(token)) found.push((words = []))
    else words?.push(token.replace(/^["']|["']$/g, ''))
    isFirst = isEnd
  }
  return found
}

test('commands are found in the lines of a shell', () => {
  assert.deepEqual(commandsIn(`polyhistor url 'a b' # polyhistor no`), [['url', 'a b']])
  assert.deepEqual(commandsIn('polyhistor a 1; bin/polyhistor b || true'), [['a', '1'], ['b']])
  assert.deepEqual(commandsIn('npm install --global polyhistor'), [])
})

test('a command that the program does not take is refused', async () => {
  await assert.rejects(parsed(['crawl', '--no-such-option']))
  await assert.rejects(parsed(['no-such-command']))
  await assert.rejects(parsed(['crawl', 'a.org', '--scope', 'planet']))
  await parsed(['crawl', 'a.org', '--scope', 'page'])
})

test.each(sources)('%s', async (source) => {
  for (const { commands, line } of commandBlocks(readFileSync(join(root, source), 'utf8'))) {
    for (const words of commands.replaceAll('\\\n', ' ').split('\n').flatMap(commandsIn)) {
      if (words[0] === '--version') continue
      await parsed(words).catch((error) =>
        assert.fail(`${source}:${line}: polyhistor ${words.join(' ')}: ${error.message}`),
      )
    }
  }
})
