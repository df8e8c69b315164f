// wrk: asks for a list of paths in turn, as fast as it can, and tells rate and latency.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needTool } from './tool.ts'

export interface Load {
  readonly origin: string
  readonly paths: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly seconds: number
  readonly connections: number
  /** Where wrk runs. */
  readonly processor?: number
}

export interface LoadResult {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly megabytesPerSecond: number
}

export async function runWrk(folder: string, load: Load): Promise<LoadResult> {
  const script = join(folder, 'load.lua')
  await writeFile(script, lua(load))
  const pinned = load.processor === undefined ? [] : [needTool('taskset'), '-c', String(load.processor)]
  const [program, ...before] = [...pinned, needTool('wrk')]
  const { stdout } = await promisify(execFile)(program!, [
    ...before,
    '-t1',
    `-c${load.connections}`,
    `-d${load.seconds}s`,
    '--latency',
    '-s',
    script,
    load.origin,
  ])
  if (/Non-2xx or 3xx responses|Socket errors/.test(stdout)) throw new Error(`wrk saw errors:\n${stdout}`)
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)![1]),
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]),
    p50Ms: latencyMs(stdout, '50'),
    p99Ms: latencyMs(stdout, '99'),
    megabytesPerSecond: megabytes(/Transfer\/sec:\s+([\d.]+)(\w+)/.exec(stdout)!),
  }
}

function lua({ paths, headers = {} }: Load): string {
  const quoted = (text: string) => JSON.stringify(text)
  const given = Object.entries(headers).map(([name, value]) => `[${quoted(name)}]=${quoted(value)}`)
  return `local paths = {${paths.map(quoted).join(',')}}
local requests = {}
local next = 0
init = function()
  for i, path in ipairs(paths) do requests[i] = wrk.format('GET', path, {${given.join(',')}}) end
end
request = function()
  next = next % #requests + 1
  return requests[next]
end
`
}

function latencyMs(output: string, percentile: string): number {
  const [, value, unit] = new RegExp(`^\\s+${percentile}%\\s+([\\d.]+)(us|ms|s) *$`, 'm').exec(output)!
  return Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's']
}

function megabytes([, value, unit]: RegExpExecArray): number {
  return Number(value) * ({ KB: 0.001, MB: 1, GB: 1000 }[unit as 'KB'] ?? 1e-6)
}
