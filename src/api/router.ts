// Finds the route of a target, by its words: a walk down a tree, one look-up for each word, however many routes there
// are.
//
// Words come before named parts, named parts before `{rest*}`. The target is read as it came: `//` in an archived URL,
// `%2F` and `?` stay what they are.

import assert from 'node:assert/strict'
import type { Route } from './route.ts'

export interface Match {
  readonly route: Route
  readonly rest: string
  readonly parameters: Readonly<Record<string, string>>
}

/** `allowed`: the path is known, the method is not; undefined when nothing is. */
type Found = { readonly match: Match } | { readonly allowed: readonly string[] } | undefined

interface Node {
  readonly words: Map<string, Node>
  /** Tried before the tree below this word. */
  readonly patterns: Route[]
  named: { name: string; node: Node } | undefined
  /** Routes whose path ends here, by method. */
  readonly ending: Map<string, Route>
  readonly endingInRest: Map<string, Route>
}

type Parameters = Record<string, string>

const noParameters: Parameters = Object.freeze({})

export class Router {
  readonly #root = emptyNode()

  constructor(routes: Iterable<Route>) {
    for (const route of routes) this.#add(route)
  }

  find(method: string, target: string): Found {
    const question = target.indexOf('?')
    const end = question === -1 ? target.length : question
    if (target.charCodeAt(0) !== slash) return undefined
    const first = wordAt(target, 1, end)
    const patterned = this.#byPattern(method, target, first, end)
    if (patterned !== undefined) return patterned
    const ways = walk(this.#root, target, 1, end, noParameters, first)
    if (ways === undefined) return undefined
    const route = ofMethod(ways.routes, method)
    if (route === undefined) return { allowed: [...ways.routes.keys()] }
    return { match: { route, rest: ways.rest, parameters: ways.parameters } }
  }

  #byPattern(method: string, target: string, first: string, end: number): Found {
    const node = this.#root.words.get(first)
    if (node === undefined || node.patterns.length === 0) return undefined
    const path = end === target.length ? target : target.slice(0, end)
    let allowed: string[] | undefined
    for (const route of node.patterns) {
      if (!(route.path as RegExp).test(path)) continue
      if (takes(route.methods, method)) return { match: { route, rest: '', parameters: noParameters } }
      allowed = [...(allowed ?? []), ...route.methods]
    }
    return allowed && { allowed }
  }

  #add(route: Route): void {
    if (route.path instanceof RegExp) {
      const word = /^\^\\\/([\w-]*)/.exec(route.path.source)?.[1]
      assert(word !== undefined, `a pattern must start with a word: ${route.path}`)
      wordNode(this.#root, word).patterns.push(route)
      return
    }
    assert(route.path.startsWith('/'), route.path)
    let node = this.#root
    for (const part of route.path.slice(1).split('/')) {
      const name = /^\{(\w+)(\*?)\}$/.exec(part)
      if (name?.[2] === '*') {
        register(node.endingInRest, route)
        return
      }
      if (name === null) node = wordNode(node, part)
      else {
        node.named ??= { name: name[1]!, node: emptyNode() }
        node = node.named.node
      }
    }
    register(node.ending, route)
  }
}

interface Ways {
  readonly routes: ReadonlyMap<string, Route>
  readonly rest: string
  readonly parameters: Parameters
}

/** `start`: where the next word of the path begins. */
function walk(
  node: Node,
  target: string,
  start: number,
  end: number,
  parameters: Parameters,
  word = wordAt(target, start, end),
): Ways | undefined {
  const next = start + word.length
  const below = node.words.get(word)
  const found =
    (below && step(below, target, next, end, parameters)) ??
    (node.named && word !== '' ? named(node.named, word, target, next, end, parameters) : undefined)
  if (found !== undefined) return found
  if (node.endingInRest.size === 0) return undefined
  return { routes: node.endingInRest, rest: target.slice(start), parameters }
}

function named(
  { name, node }: { name: string; node: Node },
  word: string,
  target: string,
  next: number,
  end: number,
  parameters: Parameters,
): Ways | undefined {
  const value = decoded(word)
  return value === undefined ? undefined : step(node, target, next, end, { ...parameters, [name]: value })
}

function step(
  node: Node,
  target: string,
  next: number,
  end: number,
  parameters: Parameters,
): Ways | undefined {
  if (next < end) return walk(node, target, next + 1, end, parameters)
  return node.ending.size === 0 ? undefined : { routes: node.ending, rest: '', parameters }
}

const slash = 0x2f

function wordAt(target: string, start: number, end: number): string {
  const next = target.indexOf('/', start)
  return target.slice(start, next === -1 || next > end ? end : next)
}

function decoded(word: string): string | undefined {
  try {
    return decodeURIComponent(word)
  } catch {
    return undefined
  }
}

function takes(methods: readonly string[], method: string): boolean {
  return methods.includes(method) || (method === 'HEAD' && methods.includes('GET'))
}

function ofMethod(routes: ReadonlyMap<string, Route>, method: string): Route | undefined {
  return routes.get(method) ?? (method === 'HEAD' ? routes.get('GET') : undefined)
}

function register(routes: Map<string, Route>, route: Route): void {
  for (const method of route.methods) {
    assert(!routes.has(method), `${method} ${route.path} is there twice`)
    routes.set(method, route)
  }
}

function wordNode(node: Node, word: string): Node {
  let below = node.words.get(word)
  if (below === undefined) node.words.set(word, (below = emptyNode()))
  return below
}

function emptyNode(): Node {
  return {
    words: new Map(),
    patterns: [],
    named: undefined,
    ending: new Map(),
    endingInRest: new Map(),
  }
}
