import { describe, expect, it } from 'vitest';
import { pythonTests } from './python-tests.ts';

const names = (source: string) => pythonTests(source).map(({ name }) => name);

describe('the tests of a Python file', () => {
	it('are functions and methods, by the names that pytest gives them', () => {
		const source = `
import pytest

def helper(): ...

def test_alone():
    def test_inside(): pass

class TestCache(unittest.TestCase):
    """def test_in_text(self): pass"""

    def setUp(self):
        self.cache = Cache()

    async def test_expires(self) -> None:
        assert True

    class TestNested:
        def test_deep(self): pass

    def test_after(self):
        pass

if True:
    def test_guarded(): pass
`;
		expect(names(source)).toEqual([
			'test_alone',
			'TestCache::test_expires',
			'TestCache::TestNested::test_deep',
			'TestCache::test_after',
			'test_guarded',
		]);
		expect(pythonTests(source)[1]?.line).toBe(15);
	});

	it('are not taken from strings, comments or continued lines, nor lost after them', () => {
		const source = `
class TestA:
    text = """
def test_text(): pass
    class TestText:
"""
    # def test_comment(self): pass
    other = 'it\\'s """ no text' # "
    table = [
def_like(1), "def test_listed(): pass",
]
    sum = 1 + \\
2
    @pytest.mark.parametrize(
"a, b", [(1, "(")],
    )
    def test_real(
self,
    ): pass
`;
		expect(names(source)).toEqual(['TestA::test_real']);
	});

	it.each([
		['class TestA:', ['TestA::test_a']],
		['class CacheTests:', []],
		['class CacheTests(unittest.TestCase):', ['CacheTests::test_a']],
		['class Cache(IsolatedAsyncioTestCase):', ['Cache::test_a']],
		['class Cache(shared.Contract):', []],
		['class Base(TestCase): pass\nclass Cache(Base):', ['Cache::test_a']],
		['class TestA:\n def __init__(self): pass', []],
		['class Base:\n def __init__(self): pass\nclass TestA(Base):', []],
		['class Cache(TestCase):\n def __init__(self): pass', ['Cache::test_a']],
	])('are those of the classes that pytest collects: %j', (head, expected) => {
		expect(names(`${head}\n def test_a(self): pass`)).toEqual(expected);
	});

	it('are found with tabs and CRLF too', () => {
		expect(names('class TestA:\r\n\tdef test_a(self):\r\n\t\tpass\r\n\r\ndef test_b():\r\n\tpass\r\n')).toEqual([
			'TestA::test_a',
			'test_b',
		]);
	});

	it('are those of the classes of the file that a class is built on, too', () => {
		const source = `
class Contract:
    def test_get(self): pass
    def test_put(self): pass
class Slow(Contract, Other): pass
class TestMemory(Contract):
    def test_put(self): pass
class TestDisk(Slow, metaclass=M):
    pass
class TestLoop(TestLoop): pass
`;
		expect(names(source)).toEqual([
			'TestMemory::test_put',
			'TestMemory::test_get',
			'TestDisk::test_get',
			'TestDisk::test_put',
		]);
	});

	it.each([
		['TestA::test_a', true],
		['TestA > test_a', true],
		['TestA::test_a[one-two]', true],
		['test_a', false],
		['TestA::test', false],
		['TestA.test_a', false],
		['TestA::test_a::x', false],
	])('match the claim %s: %s', (claim, matches) => {
		expect(pythonTests('class TestA:\n def test_a(self): pass')[0]?.matches(claim)).toBe(matches);
	});

	it.each([
		['@pytest.mark.skip\ndef test_a(): pass', 'skip'],
		['@pytest.mark.skip(reason="def")\n@other\ndef test_a(): pass', 'skip'],
		['@pytest.mark.xfail\ndef test_a(): pass', 'skip'],
		['@unittest.skip("later")\nclass A(TestCase):\n  def test_a(self): pass', 'skip'],
		['@pytest.mark.skipif(sys.platform == "win32", reason="x")\ndef test_a(): pass', 'condition'],
		['@unittest.skipUnless(x, "y")\ndef test_a(): pass', 'condition'],
		['pytestmark = pytest.mark.skip\ndef test_a(): pass', 'skip'],
		['pytestmark = [pytest.mark.db, pytest.mark.skipif(x)]\ndef test_a(): pass', 'condition'],
		['@pytest.mark.parametrize("skip", [1])\ndef test_a(): pass', undefined],
		['@pytest.mark.skip\ndef helper(): pass\ndef test_a(): pass', undefined],
		['@pytest.mark.skip\nclass A:\n  pass\ndef test_a(): pass', undefined],
	])('in %j are held by %s', (source, hindrance) => {
		expect(pythonTests(source).map((test) => test.hindrance)).toEqual([hindrance]);
	});

	it('are found in time, whatever the file repeats', () => {
		for (const piece of [
			'"',
			"'''",
			'(',
			'\\',
			'# ',
			'def test_a(): pass\n',
			'class A(A):\n',
			'@a\n',
			' \t',
			'"\\\n',
		]) {
			const started = performance.now();
			pythonTests(piece.repeat(200_000 / piece.length));
			expect(performance.now() - started, piece).toBeLessThan(3000);
		}
	});
});
