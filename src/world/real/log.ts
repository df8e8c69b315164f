// The real log: structured lines on stderr, so that stdout stays free for what commands print.

import { type DestinationStream, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import type { Log, LogLevel } from '../log.ts'

export interface LogChoice {
  level: LogLevel | 'silent'
  format: 'auto' | 'pretty' | 'json'
}

export function openLog(choice: LogChoice, stream: NodeJS.WriteStream = process.stderr): Log {
  const isPretty = choice.format === 'pretty' || (choice.format === 'auto' && stream.isTTY === true)
  return pino(
    { level: choice.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    isPretty ? prettyOn(stream) : stream,
  )
}

function prettyOn(stream: NodeJS.WriteStream): DestinationStream {
  const pretty = prettyFactory({
    colorize: stream.isTTY === true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
  })
  return { write: (line) => stream.write(pretty(line)) }
}
