/** Numbers per row of a result. Rows of this length stay far below the limits of servers for messages. */
export const PIECE_LENGTH = 1024;
/** Rows per matrix product. The rounding error of a product grows with its rows. */
export const CHUNK = 1024;
/** Products that are added up before sums are merged. */
export const CHUNKS = 16;

/**
 * The Python that the executors run with `mapInArrow`. The text is constant. `make` takes parameters as bytes (`packParameters`) and returns a function
 * from the Arrow batches of a partition to the batches of the result. It needs numpy and pyarrow, as all of Spark's Arrow functions do.
 *
 * The moments of a batch are taken about the mean of the batch. Batches are merged as core merges blocks (Chan, Golub & LeVeque 1983), with means in two parts:
 * S = S₁ + S₂ + (n₁n₂/n)·δδᵀ, δ = x̄₂ − x̄₁. This way data far from the origin lose no digits. The products `gram`, S = BᵀB, and `normal`, Z = VBᵀB, see the rows as
 * B = (X − 1sᵀ)F. They are plain sums, which the pass `add` can add up on the executors.
 */
export const EXECUTOR_PASSES = `
import json
import os

import numpy as np
import pyarrow as pa

PIECE_LENGTH = ${PIECE_LENGTH}
CHUNK = ${CHUNK}
# Rows per partial sum.
GROUP = 256
# Numbers per step: small batches are concatenated, large ones are cut.
TOGETHER = 1 << 20
MOST_ROWS = CHUNK * ${CHUNKS}


def make(parameters):
    """Returns the function for mapInArrow that the parameters name."""
    size = int.from_bytes(parameters[:4], "little")
    how = json.loads(parameters[4 : 4 + size].decode())
    numbers = np.frombuffer(parameters[4 + size :], np.float64)
    given, at = {}, 0
    for name, length in how["numbers"]:
        given[name] = numbers[at : at + length]
        at += length
    passes = {"means": means, "moments": moments, "sums": sums, "scores": scores, "add": add, "probe": probe}
    return passes[how["pass"]](how, given)


class Rows:
    """The rows of a partition as numbers, and counts of missing, infinite and rounded values."""

    def __init__(self, how, given):
        self.lengths, self.take, self.missing = how["lengths"], how["take"], how["missing"]
        self.fill = given.get("fill")
        self.read = self.incomplete = 0
        cols = len(self.take) if self.take else sum(max(1, length) for length in self.lengths)
        self.gaps, self.infinite, self.rounded = np.zeros(cols), np.zeros(cols), np.zeros(cols)

    def numbers(self, batch):
        """The numbers of a batch; NULL is NaN."""
        rounded = np.zeros(sum(max(1, length) for length in self.lengths))
        parts, at = [], 0
        for column, length in zip(batch.columns, self.lengths):
            width = max(1, length)
            parts.append(numbers_of(column, length, rounded[at : at + width]))
            at += width
        self.rounded += rounded[self.take] if self.take else rounded
        if len(parts) == 1:
            found = parts[0]
        else:
            found = np.empty((batch.num_rows, sum(part.shape[1] for part in parts)), order="F")
            at = 0
            for part in parts:
                found[:, at : at + part.shape[1]] = part
                at += part.shape[1]
        return found[:, self.take] if self.take else found

    def complete(self, batch):
        """The rows of a batch that count, and a mask of them (None: all)."""
        found = self.numbers(batch)
        self.read += len(found)
        if np.isfinite(found).all():
            return found, None
        gaps, infinite = np.isnan(found), np.isinf(found)
        self.gaps += gaps.sum(0)
        self.incomplete += int(gaps.any(1).sum())
        if self.missing == "fill":
            found = np.where(gaps, self.fill, found)
            bad = infinite.any(1)
        else:
            infinite[gaps.any(1)] = False
            bad = (gaps | infinite).any(1)
        self.infinite += infinite.sum(0)
        return found[~bad], ~bad


def floats_of(values, width, rounded):
    """Numbers as rows of float64. Counts whole numbers that are rounded."""
    if not pa.types.is_int64(values.type):
        return values.cast(pa.float64()).to_numpy(zero_copy_only=False).reshape(-1, width)
    whole = values.fill_null(0).to_numpy(zero_copy_only=False)
    found = whole.astype(np.float64)
    large = np.abs(found) > 2.0**53
    if large.any():
        changed = np.array([a and int(f) != int(w) for a, f, w in zip(large, found, whole)])
        rounded += changed.reshape(-1, width).sum(0)
    if values.null_count > 0:
        found[~np.asarray(values.is_valid())] = np.nan
    return found.reshape(-1, width)


def gathered(rows, batches):
    """Yields the rows that count: about TOGETHER numbers at a time, and at most MOST_ROWS rows."""
    waiting, numbers, count = [], 0, 0
    for batch in batches:
        found = rows.complete(batch)[0]
        if len(found) == 0:
            continue
        waiting.append(found)
        numbers += found.size
        count += len(found)
        if numbers >= TOGETHER or count >= MOST_ROWS:
            yield from pieces_of(waiting)
            waiting, numbers, count = [], 0, 0
    if waiting:
        yield from pieces_of(waiting)


def pieces_of(waiting):
    together = waiting[0] if len(waiting) == 1 else np.concatenate(waiting)
    for at in range(0, len(together), MOST_ROWS):
        yield together[at : at + MOST_ROWS]


def numbers_of(column, length, rounded):
    """A column as rows of numbers: one number per row, or the entries of its lists."""
    if length < 0:
        return floats_of(column, 1, rounded)
    present = np.asarray(column.is_valid())
    lengths = np.asarray(column.value_lengths().fill_null(length))
    if (lengths != length).any():
        raise ValueError("scree-list: %d %d" % (lengths[lengths != length][0], length))
    values = floats_of(column.flatten(), length, rounded)
    if present.all():
        return values
    found = np.full((len(column), length), np.nan)
    found[present] = values
    return found


def total(values):
    """Sums of the columns. Rounding errors grow with GROUP + n/GROUP, not with n."""
    return np.add.reduceat(values, np.arange(0, len(values), GROUP), axis=0).sum(0)


def two_sum(a, b):
    """a + b, and its rounding error (Knuth)."""
    whole = a + b
    taken = whole - a
    return whole, (a - (whole - taken)) + (b - taken)


def power_of_two(sizes):
    """The powers of two at or below each size; 1 for 0."""
    return np.where(sizes > 0, np.ldexp(1.0, np.frexp(sizes)[1] - 1), 1.0)


def gram_of(values):
    """TᵀT, CHUNK rows at a time."""
    out = np.zeros((values.shape[1], values.shape[1]))
    for at in range(0, len(values), CHUNK):
        part = values[at : at + CHUNK]
        out += part.T @ part
    return out


class Moments:
    """Rows, their mean in two parts, range, and S = Σ(x − mean)(x − mean)ᵀ in units of unit[i]·unit[j]."""

    def __init__(self, found, scatter):
        self.rows, self.merges = len(found), 1
        self.low, self.high = found.min(0), found.max(0)
        constant = self.low == self.high
        provisional = np.where(constant, self.low, found[0] + total(found - found[0]) / self.rows)
        about = found - provisional
        rest = np.where(constant, 0.0, total(about) / self.rows)
        self.mean, self.rest = two_sum(provisional, rest)
        self.unit = power_of_two(np.maximum(self.high - self.mean, self.mean - self.low))
        about = (about - rest) / self.unit
        self.scatter = gram_of(about) if scatter else None
        self.spread = np.diag(self.scatter).copy() if scatter else total(about * about)

    def merge(self, more):
        rows = self.rows + more.rows
        coupling = self.rows * (more.rows / rows)
        difference = (more.mean - self.mean) + (more.rest - self.rest)
        mine = np.where(self.spread > 0, self.unit, 0.0)
        theirs = np.where(more.spread > 0, more.unit, 0.0)
        apart = np.where(difference == 0, 0.0, power_of_two(np.abs(difference)))
        unit = np.maximum(np.maximum(mine, theirs), apart)
        unit[unit == 0] = 1.0
        # Powers of two: changing units rounds nothing.
        mine, theirs, delta = mine / unit, theirs / unit, difference / unit
        if self.scatter is not None:
            if (mine != 1).any():
                self.scatter *= np.outer(mine, mine)
            self.scatter += more.scatter if (theirs == 1).all() else more.scatter * np.outer(theirs, theirs)
            self.scatter += coupling * np.outer(delta, delta)
        self.spread = self.spread * mine**2 + more.spread * theirs**2 + coupling * delta**2
        self.mean, self.rest = two_sum(self.mean, self.rest + difference * (more.rows / rows))
        self.low, self.high = np.minimum(self.low, more.low), np.maximum(self.high, more.high)
        self.unit, self.rows, self.merges = unit, rows, self.merges + more.merges


def means(how, given):
    """One part per partition: for each column the count of values, a provisional mean, and the sum of the deviations from it."""

    def run(batches):
        rows, count, provisional, out = Rows(how, given), 0.0, None, 0.0
        for batch in batches:
            found = rows.numbers(batch)
            there = np.isfinite(found)
            if len(found) == 0:
                continue
            if provisional is None:
                some = np.maximum(1, there.sum(0))
                provisional = np.where(there, found, 0.0).sum(0) / some
            count = count + there.sum(0)
            out = out + total(np.where(there, found - provisional, 0.0))
        if provisional is not None:
            vector = np.concatenate([count, provisional, out])
            yield from result(np.concatenate([[len(vector) + 1], vector]))

    return run


def moments(how, given):
    """One part per partition: counts, gaps, and the moments of the rows that count."""

    def run(batches):
        rows, kept = Rows(how, given), None
        for found in gathered(rows, batches):
            more = Moments(found, how["scatter"])
            if kept is None:
                kept = more
            else:
                kept.merge(more)
        if rows.read == 0:
            return
        parts = [[rows.read, rows.incomplete, kept.rows if kept else 0, kept.merges if kept else 0], rows.gaps, rows.infinite, rows.rounded]
        if kept:
            parts += [kept.low, kept.high, kept.mean, kept.rest, kept.unit, kept.spread]
            if how["scatter"]:
                parts.append(kept.scatter[np.triu_indices(len(kept.mean))])
        vector = np.concatenate(parts)
        yield from result(np.concatenate([[len(vector) + 1], vector]))

    return run


def sums(how, given):
    """One part per partition: rows, chunks, and BᵀB (upper triangle) or VBᵀB."""
    shift, factor, vectors = given["shift"], given["factor"], given.get("vectors")

    def run(batches):
        rows, count, chunks, out = Rows(how, given), 0, 0, None
        # Fewer rows at once where they are long, so that a copy of them stays small.
        step = max(64, min(CHUNK, (1 << 22) // len(shift)))
        for found in gathered(rows, batches):
            for at in range(0, len(found), step):
                framed = (found[at : at + step] - shift) * factor
                if vectors is None:
                    product = framed.T @ framed
                else:
                    product = (framed @ vectors.reshape(-1, len(shift)).T).T @ framed
                out = product if out is None else np.add(out, product, out=out)
                chunks += 1
            count += len(found)
        if out is None:
            return
        values = out[np.triu_indices(len(shift))] if vectors is None else out.ravel()
        yield from result(np.concatenate([[count, chunks], values]))

    return run


def result(vector):
    """A vector as rows of the result: part, place in the vector, numbers."""
    part = int.from_bytes(os.urandom(6), "little")
    count = -(-len(vector) // PIECE_LENGTH)
    padded = np.zeros(count * PIECE_LENGTH)
    padded[: len(vector)] = vector
    for first in range(0, count, 256):
        yield batch_of(part, range(first, min(count, first + 256)), padded[first * PIECE_LENGTH : (first + 256) * PIECE_LENGTH])


def batch_of(part, places, values):
    starts = pa.array(np.arange(0, len(values) + 1, PIECE_LENGTH), pa.int32())
    columns = [
        pa.array(np.full(len(places), part), pa.int64()),
        pa.array(np.asarray(places), pa.int64()),
        pa.ListArray.from_arrays(starts, pa.array(values)),
    ]
    return pa.RecordBatch.from_arrays(columns, names=["part", "place", "numbers"])


def add(how, given):
    """Adds up rows of results with the same place."""

    def run(batches):
        found = {}
        for batch in batches:
            values = batch.column(2).flatten().to_numpy(zero_copy_only=False).reshape(-1, PIECE_LENGTH)
            for place, row in zip(batch.column(1).to_pylist(), values):
                known = found.get(place)
                found[place] = row.copy() if known is None else known + row
        for place, row in found.items():
            yield batch_of(0, [place], row)

    return run


def probe(how, given):
    """Reads all rows and returns nothing: shows that Python, numpy and pyarrow work."""

    def run(batches):
        for _ in batches:
            pass
        yield from ()

    return run


def scores(how, given):
    """Further columns unchanged, then the scores z = Vb, b = (x − mean)/scale, of each row, and optionally its error and T²."""
    shift, factor, inverse = given["shift"], given["factor"], given["inverse"]
    basis = given["basis"].reshape(-1, len(shift))

    def run(batches):
        rows, used = Rows(how, given), len(how["lengths"])
        for batch in batches:
            found, kept = rows.complete(batch)
            if how["missing"] == "error" and rows.gaps.any():
                raise ValueError("scree-gap: %d" % int(rows.gaps.argmax()))
            if rows.infinite.any():
                raise ValueError("scree-infinite: %d" % int(rows.infinite.argmax()))
            others = batch.columns[used:]
            if kept is not None:
                others = [column.filter(pa.array(kept)) for column in others]
            framed = (found - shift) * factor
            plain = framed @ basis.T
            white = plain * inverse
            columns = list((white @ basis if how["whiten"] == "zca" else white if how["whiten"] else plain).T)
            if how["errors"]:
                # ‖b − Vᵀz‖², not ‖b‖² − ‖z‖²: the difference would lose digits.
                columns.append(((framed - plain @ basis) ** 2).sum(1))
            if how["t2"]:
                columns.append((white**2).sum(1))
            arrays = others + [pa.array(np.ascontiguousarray(values)) for values in columns]
            yield pa.RecordBatch.from_arrays(arrays, names=how["names"])

    return run
`;
