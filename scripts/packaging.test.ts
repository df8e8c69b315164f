// What packaging/ starts is what there is: commands and options that this program knows, exit codes that it has.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, test } from 'vitest'
import { addCommands } from '../src/cli/command-tree.ts'
import { exitCodes } from '../src/cli/exit-codes.ts'

const folder = join(import.meta.dirname, '..', 'packaging')
const fileOf = (name: string) => readFileSync(join(folder, name), 'utf8')
const known = new Set(['--home', '--set', '--json'])
const program = new Command()
await addCommands(program, () => async () => undefined, undefined)

function assertKnown(words: readonly string[]): void {
  const [name, ...rest] = words
  const command = program.commands.find((each) => each.name() === name)
  assert(command !== undefined, `there is no command ${name}`)
  const options = rest.filter((word) => word.startsWith('--'))
  for (const option of options)
    assert(
      known.has(option) || command.options.some(({ long }) => long === option),
      `${name} has no ${option}`,
    )
}

/** The words of a list in brackets, with quotes or without. */
function listed(text: string): string[] {
  return text.split(',').map((word) => word.trim().replace(/^['"]|['"]$/g, ''))
}

describe('packaging', () => {
  test('the unit of systemd', () => {
    const text = fileOf('polyhistor.service')
    const [, words] = /^ExecStart=\/usr\/bin\/polyhistor (.+)$/m.exec(text)!
    assertKnown(words!.split(' '))
    const [, codes] = /^RestartPreventExitStatus=(.+)$/m.exec(text)!
    for (const code of codes!.split(' '))
      assert(Object.values(exitCodes).includes(Number(code) as never), code)
  })

  test('the container', () => {
    const [, words] = /^CMD \[(.+)\]$/m.exec(fileOf('Dockerfile'))!
    assertKnown(listed(words!))
  })

  test('the three peers', () => {
    const commands = [...fileOf('compose.yaml').matchAll(/command: \[(.+)\]/g)]
    assert.equal(commands.length, 3)
    for (const [, words] of commands) assertKnown(listed(words!))
  })
})
