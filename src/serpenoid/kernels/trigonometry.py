"""Sine and cosine without a call, so that the lanes of a block go side by side."""

from serpenoid.kernels._jit import jit

# Adding and subtracting 1.5 * 2**52 rounds a small number to a whole one.
_ROUND = 6755399441055744.0
# Beyond this the reduction below loses digits, rad.
FAR = 1e6


@jit
def sine_cosine(x: float) -> tuple[float, float]:
    """Sine and cosine of |x| < FAR, to about one unit in the last place.

    The angle is reduced to |y| <= pi/4 by a multiple k of pi/2, which is subtracted in three parts
    of 33 bits [Cody and Waite]; sine and cosine of y are the minimax polynomials of fdlibm.
    """
    k = (x * 0.6366197723675814 + _ROUND) - _ROUND
    y = x - k * 1.57079632673412561417e00
    y = y - k * 6.07710050630396597660e-11
    y = y - k * 2.02226624879595063154e-21
    z = y * y
    s = -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10
    s = 2.75573137070700676789e-06 + z * s
    s = -1.98412698298579493134e-04 + z * s
    s = 8.33333333332248946124e-03 + z * s
    s = y + y * z * (-1.66666666666666324348e-01 + z * s)
    c = 2.08757232129817482790e-09 - z * 1.13596475577881948265e-11
    c = -2.75573143513906633035e-07 + z * c
    c = 2.48015872894767294178e-05 + z * c
    c = -1.38888888888741095749e-03 + z * c
    c = 4.16666666666666019037e-02 + z * c
    half = 0.5 * z
    one = 1.0 - half
    c = one + (((1.0 - one) - half) + z * z * c)
    # The quarter turn, -2 to 2.
    turn = k - 4.0 * ((0.25 * k + _ROUND) - _ROUND)
    odd = abs(turn) == 1.0
    a = c if odd else s
    b = s if odd else c
    a = a if turn == 0.0 or turn == 1.0 else -a
    b = b if turn == 0.0 or turn == -1.0 else -b
    return a, b
