// Message schemas: a message between peers is declared once, as its fields in the order of the wire. Reader, writer, bounds and
// the type in TypeScript come from the declaration.
//
// Invariants: what a schema writes it reads back; what is out of its bounds is refused with 'message-malformed' (see
// message-bytes.ts). The order of the fields of a record, and of the cases of a union, is the wire format: append only.

import assert from 'node:assert/strict'
import { MessageMalformed, MessageReader, MessageWriter } from './message-bytes.ts'

export interface Decoder<T> {
  decode(bytes: Uint8Array): T
}

/** `In` may leave out what `Out` has as undefined. */
export class Schema<Out, In = Out> implements Decoder<Out> {
  readonly read: (reader: MessageReader) => Out
  readonly write: (writer: MessageWriter, value: In) => void

  constructor(read: (reader: MessageReader) => Out, write: (writer: MessageWriter, value: In) => void) {
    this.read = read
    this.write = write
  }

  encode(value: In): Uint8Array {
    const writer = new MessageWriter()
    this.write(writer, value)
    return writer.finish()
  }

  decode(bytes: Uint8Array): Out {
    return this.read(new MessageReader(bytes))
  }

  /** The same bytes for another type. `from` may throw MessageMalformed. */
  as<NewOut, NewIn = NewOut>(from: (value: Out) => NewOut, to: (value: NewIn) => In): Schema<NewOut, NewIn> {
    const { read, write } = this
    return new Schema(
      (reader) => from(read(reader)),
      (writer, value) => write(writer, to(value)),
    )
  }

  /** Refuses what others send that is not so. */
  checked(isGood: (value: Out) => boolean, fault: string): Schema<Out, In> {
    const { read, write } = this
    return new Schema((reader) => {
      const value = read(reader)
      if (!isGood(value)) throw new MessageMalformed(fault)
      return value
    }, write)
  }
}

export type Out<S> = S extends Schema<infer Read, never> ? Read : never
export type In<S> = S extends Schema<unknown, infer Written> ? Written : never
// biome-ignore lint/suspicious/noExplicitAny: `In` is contravariant, so there is no other type that all schemas have
type AnySchema = Schema<any, any>
type Fields = Readonly<Record<string, AnySchema>>
type RecordOut<F extends Fields> = { readonly [K in keyof F]: Out<F[K]> }
type RecordIn<F extends Fields> = {
  readonly [K in keyof F as undefined extends In<F[K]> ? never : K]: In<F[K]>
} & { readonly [K in keyof F as undefined extends In<F[K]> ? K : never]?: In<F[K]> }
type MarkedOut<F extends Fields> = {
  readonly [K in keyof F]: Out<F[K]> extends boolean ? boolean : Out<F[K]> | undefined
}
type MarkedIn<F extends Fields> = { readonly [K in keyof F]?: In<F[K]> | undefined }
type Cases = Readonly<Record<string, Fields>>
type UnionOut<C extends Cases> = { [K in keyof C]: { readonly kind: K } & RecordOut<C[K]> }[keyof C]
type UnionIn<C extends Cases> = { [K in keyof C]: { readonly kind: K } & RecordIn<C[K]> }[keyof C]

/** A flag, and the value if there is one. */
export function optional<O, I>(schema: Schema<O, I>): Schema<O | undefined, I | undefined> {
  return new Schema(
    (reader) => (reader.number(1) === 1 ? schema.read(reader) : undefined),
    (writer, value) => {
      writer.byte(value === undefined ? 0 : 1)
      if (value !== undefined) schema.write(writer, value)
    },
  )
}

const listLength = new Schema<number>(
  (reader) => reader.count(),
  (writer, value) => writer.number(value),
)

/** Their number, then each, which has a byte at least. */
export function list<O, I>(
  schema: Schema<O, I>,
  countMax = Number.POSITIVE_INFINITY,
  count: Schema<number> = listLength,
): Schema<readonly O[], readonly I[]> {
  const items = new Times(schema)
  return new Schema(
    (reader) => {
      const length = count.read(reader)
      if (length > countMax) throw new MessageMalformed(`a list of ${length}`)
      return items.read(reader, length)
    },
    (writer, values) => {
      count.write(writer, values.length)
      items.write(writer, values)
    },
  )
}

/** As many as both sides know: answers to a list of questions, say. */
export class Times<O, I = O> {
  readonly #schema: Schema<O, I>

  constructor(schema: Schema<O, I>) {
    this.#schema = schema
  }

  read(reader: MessageReader, count: number): O[] {
    const values: O[] = []
    for (let index = 0; index < count; index++) values.push(this.#schema.read(reader))
    return values
  }

  write(writer: MessageWriter, values: readonly I[]): void {
    for (const value of values) this.#schema.write(writer, value)
  }

  encode(values: readonly I[]): Uint8Array {
    const writer = new MessageWriter()
    this.write(writer, values)
    return writer.finish()
  }

  decode(bytes: Uint8Array, count: number): O[] {
    return this.read(new MessageReader(bytes), count)
  }
}

/** Fields one after the other. */
export function record<F extends Fields>(fields: F): Schema<RecordOut<F>, RecordIn<F>> {
  return compiledRecord(fields)
}

/** One of several records: its place among them, then its fields. `what` is named when there is no such case. */
export function union<C extends Cases>(what: string, cases: C): Schema<UnionOut<C>, UnionIn<C>> {
  const kinds = Object.keys(cases)
  const schemas = kinds.map((kind) =>
    compiledRecord<AnySchema>(cases[kind]!, `kind: ${JSON.stringify(kind)},`),
  )
  const places = new Map(kinds.map((kind, place) => [kind, place]))
  return new Schema<UnionOut<C>, UnionIn<C>>(
    (reader) => {
      const schema = schemas[reader.byte()]
      if (schema === undefined) throw new MessageMalformed(`there is no such ${what}`)
      return schema.read(reader)
    },
    (writer, value) => {
      const place = places.get(value.kind as string)!
      schemas[place]!.write(writer.byte(place), value)
    },
  )
}

/** Fields that may be missing: a byte with a bit for each, then those that are there. A `mark` is only its bit. */
export function marked<F extends Fields>(fields: F): Schema<MarkedOut<F>, MarkedIn<F>> {
  const keys = keysOf(fields)
  assert(keys.length <= 8)
  const there = keys.map((key) => `value.${key} !== undefined && value.${key} !== false`)
  return compiled(
    fields,
    `const bits = reader.byte()
    return { ${keys.map((key, at) => `${key}: bits & ${1 << at} ? read${at}(reader) : ${fields[key] === mark ? false : undefined}`)} }`,
    `const bits = ${there.map((isThere, at) => `(${isThere} ? ${1 << at} : 0)`).join(' | ')}
    writer.byte(bits)
    ${keys.map((key, at) => `if (bits & ${1 << at}) write${at}(writer, value.${key})`).join('\n')}`,
  )
}

/** Only as a field of `marked`. */
export const mark = new Schema<boolean, boolean | undefined>(
  () => true,
  () => {},
)

/** The fields of both, one after the other, in one object. */
export function joined<A, AI, B, BI>(first: Schema<A, AI>, second: Schema<B, BI>): Schema<A & B, AI & BI> {
  return new Schema(
    (reader) => Object.assign(first.read(reader) as object, second.read(reader)) as A & B,
    (writer, value) => {
      first.write(writer, value)
      second.write(writer, value)
    },
  )
}

/** Begins with a byte that tells the version; messages of others are refused with `refusal`. */
export function versioned<O, I>(
  version: number,
  { read, write }: Schema<O, I>,
  refusal: (version: number) => Error,
): Schema<O, I> {
  return new Schema(
    (reader) => {
      const theirs = reader.byte()
      if (theirs !== version) throw refusal(theirs)
      return read(reader)
    },
    (writer, value) => write(writer.byte(version), value),
  )
}

function keysOf(fields: Fields): string[] {
  const keys = Object.keys(fields)
  for (const key of keys) assert.match(key, /^[a-z]\w*$/i)
  return keys
}

function compiledRecord<S extends AnySchema>(fields: Fields, constant = ''): S {
  const keys = keysOf(fields)
  return compiled(
    fields,
    `return { ${constant} ${keys.map((key, at) => `${key}: read${at}(reader)`)} }`,
    keys.map((key, at) => `write${at}(writer, value.${key})`).join('\n'),
  )
}

/** Makes functions out of text, in which nothing stands but names of fields, which are ours. A loop over the fields would take
 * up to twice as long as what one writes by hand; these take as long. */
function compiled<S extends AnySchema>(fields: Fields, readBody: string, writeBody: string): S {
  const schemas = Object.values(fields)
  const parts = schemas.flatMap((_, at) => [`read${at}`, `write${at}`])
  const make = new Function(
    ...parts,
    `return { read(reader) { ${readBody} }, write(writer, value) { ${writeBody} } }`,
  )
  const { read, write } = make(...schemas.flatMap((schema) => [schema.read, schema.write]))
  return new Schema(read, write) as S
}
