// A list that is here, or that comes bit by bit from somewhere else. Who reads it need not know which.
//
// Lazy: who reads only the beginning pays for the beginning. What is here is read without waiting for anything.

export type Listed<T> = Iterable<T> | AsyncIterable<T>
export type Awaitable<T> = T | Promise<T>

export function allOf<T>(list: Listed<T>): Awaitable<T[]> {
  return isHere(list) ? [...list] : Array.fromAsync(list)
}

export function firstOf<T>(list: Listed<T>): Awaitable<T | undefined> {
  if (!isHere(list)) return firstToCome(list)
  for (const one of list) return one
  return undefined
}

/** The list in arrays of at most this many. */
export async function* inChunks<T>(list: Listed<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = []
  if (isHere(list)) {
    for (const one of list) {
      if (chunk.push(one) < size) continue
      yield chunk
      chunk = []
    }
  } else {
    for await (const one of list) {
      if (chunk.push(one) < size) continue
      yield chunk
      chunk = []
    }
  }
  if (chunk.length > 0) yield chunk
}

/** In one piece: for callers that know it is bounded. */
export async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts = await Array.fromAsync(chunks)
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

function isHere<T>(list: Listed<T>): list is Iterable<T> {
  return Symbol.iterator in list
}

async function firstToCome<T>(list: AsyncIterable<T>): Promise<T | undefined> {
  for await (const one of list) return one
  return undefined
}
