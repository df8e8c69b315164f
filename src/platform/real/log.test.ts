import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'vitest'
import { type LogChoice, openLog } from './log.ts'

function logOf(choice: LogChoice | (() => LogChoice)): { log: ReturnType<typeof openLog>; lines: string[] } {
  const lines: string[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  return { log: openLog(choice, stream as unknown as NodeJS.WriteStream), lines }
}

test('says what is at its level or above, with the facts of whoever says it', () => {
  const { log, lines } = logOf({ level: 'info', format: 'json' })
  const part = log.child({ part: 'store' })
  part.debug({}, 'not this')
  part.info({ count: 3 }, 'this')
  log.error({}, 'and this')
  const [first, second] = lines.map((line) => JSON.parse(line))
  assert.equal(lines.length, 2)
  assert.deepEqual([first.part, first.count, first.msg], ['store', 3, 'this'])
  assert.deepEqual([second.part, second.msg, second.level > first.level], [undefined, 'and this', true])
})

test('for people it is a line to read', () => {
  const { log, lines } = logOf({ level: 'warn', format: 'pretty' })
  log.warn({ folder: '/a' }, 'Writing failed')
  assert.match(lines.join(''), /WARN.*Writing failed.*folder/s)
})

test('silent, it says nothing', () => {
  const { log, lines } = logOf({ level: 'silent', format: 'json' })
  log.error({}, 'nobody hears this')
  assert.deepEqual(lines, [])
})

test('level and format may change while it is open, for its children, too', () => {
  let choice: LogChoice = { level: 'warn', format: 'json' }
  const { log, lines } = logOf(() => choice)
  const part = log.child({ part: 'store' })
  part.info({}, 'not this')
  choice = { level: 'info', format: 'json' }
  part.info({}, 'this')
  assert.deepEqual([lines.length, JSON.parse(lines[0]!).part], [1, 'store'])
  choice = { level: 'info', format: 'pretty' }
  part.info({}, 'for people')
  assert.match(lines.slice(1).join(''), /INFO.*for people/s)
})
